create or replace function jobrunner.give_job(
  in_tenant text,
  in_job text
) returns integer
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Gives every user of a tenant, now and later, a job; due at once where it never ran (MH26). Returns how many
-- standing jobs were made; given already: 0. Raises JR010, or JR012 for a job file that migrate has not stored.
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
  insert into jobrunner.tenant_jobs (tenant_id, job_name) values (v_tenant.id, in_job) on conflict do nothing;
  insert into jobrunner.sources (tenant_id, name, tokens)
  select v_tenant.id, f.source, coalesce(f.per_second, 0) from jobrunner.job_files as f where f.name = in_job
  on conflict do nothing;
  insert into jobrunner.jobs (user_id, name, tenant_id, every, phase, deadline, due_at, paused_at, paused_with_user)
  select u.id, f.name, u.tenant_id, f.every, jobrunner.phase_of(u.id, f.name, f.every, f.spread), f.deadline, now(),
    u.paused_at, u.paused_at is not null
  from jobrunner.users as u
  join jobrunner.job_files as f on f.name = in_job
  where u.tenant_id = v_tenant.id
  on conflict do nothing;
  get diagnostics v_count = row_count;
  if v_count > 0 then
    perform pg_notify('jobrunner_due', '');
  end if;
  return v_count;
end
$$;
comment on function jobrunner.give_job is 'Gives every user of a tenant a job.';
