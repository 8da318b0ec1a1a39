create or replace function jobrunner.period_of(
  in_user_id bigint,
  in_tenant_id bigint,
  in_job text,
  in_every interval
) returns interval
language plpgsql stable parallel safe
set search_path = pg_catalog
as $$
-- The period of a user's job: the user's own, else the tenant's, else in_every, the job file's.
begin
  return coalesce(
    (select p.every from jobrunner.periods as p where p.user_id = in_user_id and p.tenant_id = in_tenant_id and p.job_name = in_job),
    (select p.every from jobrunner.periods as p where p.user_id = 0 and p.tenant_id = in_tenant_id and p.job_name = in_job),
    in_every
  );
end
$$;
comment on function jobrunner.period_of is 'The period of a user''s job: the user''s own, the tenant''s or the file''s.';
