create or replace function jobrunner.age_of_job(
  in_tenant text,
  in_user text,
  in_job text
) returns interval
language plpgsql stable
security definer
set search_path = pg_catalog, pg_temp
as $$
-- How old the rows may be that a user's job has stored, or the tenant's own job (user null or *): since the pass of its
-- entity that was completed longest ago. Null: there are none to use. Raises JR010, JR011, JR012.
declare
  v_user_id bigint := (jobrunner.user_named(in_tenant, coalesce(in_user, '*'))).id;
begin
  if not exists (select from jobrunner.jobs as j where j.user_id = v_user_id and j.name = in_job) then
    raise exception 'user ''%'' has no job ''%''', coalesce(in_user, '*'), in_job using errcode = 'JR012';
  end if;
  return jobrunner.age_of_rows(v_user_id, in_job);
end
$$;
comment on function jobrunner.age_of_job is 'Age of a job''s stored rows; null: there are none to use.';
