create or replace function jobrunner.hold_secrets(
  in_tenant_id bigint,
  in_user_id bigint,
  in_job text
) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Locks what a secret that a page brings may change (bring_secret), before the page's transaction holds anything else:
-- the user, as set_secret does, and then its parked jobs together with the one that runs, by key.
begin
  perform from jobrunner.users as u where u.id = in_user_id and u.tenant_id = in_tenant_id for no key update;
  perform
  from jobrunner.jobs as j
  where j.user_id = in_user_id and (jobrunner.awaits_secret(j) or j.name = in_job)
  order by j.user_id, j.name
  for no key update;
end
$$;
comment on function jobrunner.hold_secrets is 'Locks what a secret that a page brings may change.';
