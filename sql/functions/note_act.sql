create or replace function jobrunner.note_act(
  in_verb text,
  in_object text default null,
  in_detail jsonb default '{}',
  in_tenant text default null,
  in_user text default null,
  in_tenant_id bigint default null,
  in_user_id bigint default null
) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Writes a row of audit: that the session's login has done this to that tenant and user, who are given by name or by
-- number. Called in the transaction of the act, so that one that is rolled back leaves no row. in_detail has no value
-- of a secret or an attribute, and no user's key. Not for callers.
-- The role is asked of the setting, since a verb runs by its owner's rights. The person is whom `jobrunner serve` says
-- to have signed in, and why stands in the detail as he has said it: a login can say what it likes there, and stands
-- beside it.
begin
  in_tenant_id := coalesce(in_tenant_id, (select t.id from jobrunner.tenants as t where t.name = in_tenant));
  in_user_id := coalesce(
    in_user_id,
    (select u.id from jobrunner.users as u where u.tenant_id = in_tenant_id and u.key = in_user)
  );
  insert into jobrunner.audit (role, person, verb, tenant_id, user_id, object, detail)
  values (nullif(nullif(current_setting('role'), 'none'), session_user),
    left(nullif(current_setting('jobrunner.person', true), ''), 255), in_verb, in_tenant_id, in_user_id, in_object,
    jsonb_strip_nulls(
      in_detail || jsonb_build_object('why', left(nullif(current_setting('jobrunner.why', true), ''), 1000))
    ));
end
$$;
comment on function jobrunner.note_act is 'Notes who has done what to whom. Not for callers.';
