create or replace function jobrunner.read_job(
  in_tenant text,
  in_user text,
  in_job text
) returns setof jobrunner.claimed_job
language plpgsql stable
security definer
set search_path = pg_catalog, pg_temp
as $$
-- What a claim of this job would tell, without claiming it: a dry run begins from here and can prove nothing, for its
-- fence is 0. User null or *: the tenant's own. Raises JR010, JR011, JR012.
declare
  v_user jobrunner.users := jobrunner.user_named(in_tenant, coalesce(in_user, '*'));
begin
  return query
    select j.user_id, j.name, j.tenant_id, 0::bigint, '00000000-0000-0000-0000-000000000000'::uuid,
      j.due_at, now(), jobrunner.last_tick(jobrunner.next_tick(now(), j.every, j.phase), j.every, j.phase),
      (date_part('epoch', j.deadline) * 1000)::bigint, 1::smallint, false, null::text, j.last_outcome,
        j.last_success_at,
      j.unchanged_at, null::tid
    from jobrunner.jobs as j
    where j.user_id = v_user.id and j.name = in_job;
  if not found then
    raise exception 'user ''%'' has no job ''%''', in_user, in_job using errcode = 'JR012';
  end if;
end
$$;
comment on function jobrunner.read_job is 'What a claim of a job would tell, without claiming it.';
