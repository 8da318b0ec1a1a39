create or replace function jobrunner.repair_jobs(
  in_tenant text,
  in_user text default null,
  in_job text default null
) returns integer
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Asks for a repair: every enabled entity is read in full, rows that it does not show are sent anew, unsent edits stay,
-- and what was pushed is read again. Returns how many jobs; they are due now, as enqueue says.
-- Raises JR010, JR011, JR012.
declare
  v_job jobrunner.jobs;
  v_count integer := 0;
  v_due integer := 0;
begin
  for v_job in select j.* from jobrunner.jobs_named(in_tenant, in_user, in_job) as j loop
    perform jobrunner.request_full(v_job, array(
      select e ->> 'entity'
      from jobrunner.job_files as f
      cross join lateral jsonb_array_elements(f.expanded -> 'entities') as e
      where f.name = v_job.name and e ->> 'enabled' is distinct from 'false'
    ), true);
    v_due := v_due + (jobrunner.enqueue_job(v_job, false, null, false) = 'due')::integer;
    v_count := v_count + 1;
  end loop;
  if v_due > 0 then
    perform jobrunner.wake_workers(now(), in_jobs => v_due);
  end if;
  perform jobrunner.note_act('repair_jobs', in_job, jsonb_build_object('jobs', v_count), in_tenant, in_user);
  return v_count;
end
$$;
comment on function jobrunner.repair_jobs is 'Asks for a full repair of jobs: pull all, push all, pull again.';
