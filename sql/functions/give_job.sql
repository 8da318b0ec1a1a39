create or replace function jobrunner.give_job(
  in_tenant text,
  in_job text,
  in_within interval default null
) returns integer
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Gives every user of a tenant, now and later, a job, or the tenant itself one of scope tenant; due at once where it
-- never ran, or spread over in_within in the lane of those who are new, as with add_users. Returns how many standing
-- jobs were made; given already: 0. Raises JR010, JR012 for a job file that migrate has not stored, JR017 for a span
-- out of bounds.
declare
  v_tenant jobrunner.tenants := jobrunner.tenant_named(in_tenant);
  v_count integer;
begin
  if not exists (select from jobrunner.job_files as f where f.name = in_job) then
    raise exception 'no job file is named ''%''', in_job using errcode = 'JR012',
      hint = coalesce((
        select 'Stored are ' || string_agg(f.name, ', ' order by f.name) || '.' from jobrunner.job_files as f
      ), 'None is stored: run jobrunner migrate.');
  end if;
  -- Before it is asked whether the job was given: take_job may be at it.
  perform from jobrunner.tenants as t where t.id = v_tenant.id for no key update;
  insert into jobrunner.tenant_jobs (tenant_id, job_name) values (v_tenant.id, in_job) on conflict do nothing;
  insert into jobrunner.sources (tenant_id, name, tokens)
  select v_tenant.id, f.source, coalesce(f.per_second, 0) from jobrunner.job_files as f where f.name = in_job
  on conflict do nothing;
  v_count := jobrunner.make_jobs(v_tenant.id, in_job, in_within);
  perform jobrunner.note_act('give_job', in_job, jsonb_build_object('jobs', v_count), in_tenant_id => v_tenant.id);
  return v_count;
end
$$;
comment on function jobrunner.give_job is 'Gives every user of a tenant a job.';
