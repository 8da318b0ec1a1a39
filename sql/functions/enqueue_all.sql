create or replace function jobrunner.enqueue_all(
  in_tenant text,
  in_job text,
  in_full boolean default false,
  in_entity text default null,
  in_force boolean default false
) returns integer
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Asks for a run of a job for all users of a tenant; returns how many jobs. Raises as enqueue does.
declare
  v_count integer;
  v_due integer;
begin
  select count(*), count(*) filter (where e.answer = 'due') into v_count, v_due
  from (
    select jobrunner.enqueue_job(j, coalesce(in_full, false), in_entity, coalesce(in_force, false)) as answer
    from jobrunner.jobs_named(in_tenant, null, in_job) as j
    offset 0
  ) as e;
  if v_due > 0 then
    perform jobrunner.wake_workers(now(), in_jobs => v_due);
  end if;
  return v_count;
end
$$;
comment on function jobrunner.enqueue_all is 'Asks for a run of a job for all users of a tenant.';
