create or replace function jobrunner.take_job(
  in_tenant text,
  in_job text,
  in_with_rows boolean default false
) returns integer
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Takes a job from a tenant: its users' standing jobs go, with how far they have come; history stays. What was synced
-- stays too, or goes with in_with_rows, but for tables that another job of the tenant fills. A run in progress can
-- prove its claim no more, so that nothing more of it is written: it ends here, as partial, with what it had committed.
-- Returns how many standing jobs. Raises JR010, JR014 when the tenant has no such job.
-- Locks: the tenant's row, as give_job and add_user do, then its jobs by user.
declare
  v_tenant jobrunner.tenants := jobrunner.tenant_named(in_tenant);
  v_users bigint[];
  v_table text;
  v_count integer;
  v_writes text;
begin
  perform from jobrunner.tenants as t where t.id = v_tenant.id for no key update;
  delete from jobrunner.tenant_jobs as g where g.tenant_id = v_tenant.id and g.job_name = in_job;
  if not found then
    raise exception 'tenant ''%'' has no job ''%''', in_tenant, in_job using errcode = 'JR014',
      hint = coalesce((
        select 'It has ' || string_agg(g.job_name, ', ' order by g.job_name) || '.'
        from jobrunner.tenant_jobs as g where g.tenant_id = v_tenant.id
      ), 'It has none.');
  end if;
  select coalesce(array_agg(u.id), '{}') into v_users from jobrunner.users as u where u.tenant_id = v_tenant.id;

  perform from jobrunner.jobs as j
  where j.user_id = any (v_users) and j.name = in_job
  order by j.user_id
  for update;
  perform from jobrunner.end_claims(
    array(
      select jobrunner.end_of(j, 'partial', 'cancelled', 'the job was taken from its tenant')
      from jobrunner.jobs as j
      where j.user_id = any (v_users) and j.name = in_job and j.worker_id is not null
    )
  );
  delete from jobrunner.jobs as j where j.user_id = any (v_users) and j.name = in_job;
  get diagnostics v_count = row_count;
  delete from jobrunner.checkpoints as k where k.user_id = any (v_users) and k.job_name = in_job;
  delete from jobrunner.call_memory as m where m.user_id = any (v_users) and m.job_name = in_job;
  delete from jobrunner.periods as p where p.tenant_id = v_tenant.id and p.job_name = in_job;
  delete from jobrunner.armed_triggers as a where a.user_id = any (v_users) and a.job_name = in_job;
  delete from jobrunner.seen_pages as p where p.user_id = any (v_users) and p.job_name = in_job;

  if in_with_rows then
    v_writes := jobrunner.own_writes('on');
    for v_table in
      select s.name
      from jobrunner.synced_tables as s
      where s.name in (
          select e -> 'write' ->> 'table'
          from jobrunner.job_files as f
          cross join lateral jsonb_array_elements(f.expanded -> 'entities') as e
          where f.name = in_job
        )
        and s.name not in (
          select e -> 'write' ->> 'table'
          from jobrunner.tenant_jobs as g
          join jobrunner.job_files as f on f.name = g.job_name
          cross join lateral jsonb_array_elements(f.expanded -> 'entities') as e
          where g.tenant_id = v_tenant.id and e -> 'write' ->> 'table' is not null
        )
      order by s.name
    loop
      execute format('delete from synced.%I where user_id = any ($1)', v_table) using v_users;
    end loop;
    perform jobrunner.own_writes(v_writes);
  end if;
  perform jobrunner.note_act('take_job', in_job, jsonb_build_object('jobs', v_count, 'with_rows', in_with_rows),
    in_tenant_id => v_tenant.id);
  return v_count;
end
$$;
comment on function jobrunner.take_job is 'Takes a job from a tenant and all its users.';
