create or replace function jobrunner.act_on_jobs(
  in_act text,
  in_confirmed integer,
  in_tenant text,
  in_user text default null,
  in_job text default null,
  in_source text default null,
  in_kind text default null
) returns table (
  jobs integer,
  changed integer
)
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Does to each job that a filter means (jobs_meant) what the verb of that name does to one: run, full, cancel, pause,
-- resume, retry, reset, repair. A pause or its end of a whole tenant or user is that of the tenant or user. Returns how
-- many jobs the filter meant, and how many of these it changed.
-- in_confirmed is how many a person was told there are. Raises JR016 for another word, and where there are more than
-- that by now, or more than 2,000; then nothing is done. One row of audit has the filter and the numbers; each verb
-- leaves its own beside it.
-- All jobs that it means are locked first, in key order as the verbs lock them, so that none is gone or another's by
-- the time it is dealt with. Outcomes of their runs wait until it is done, which is why there are no more of them.
declare
  most constant integer := 2000;
  v_ids bigint[];
  v_users text[];
  v_jobs text[];
  v_done integer;
begin
  if in_act not in ('run', 'full', 'cancel', 'pause', 'resume', 'retry', 'reset', 'repair') then
    raise exception 'there is no act ''%''', in_act using errcode = 'JR016',
      hint = 'Expected run, full, cancel, pause, resume, retry, reset or repair.';
  end if;
  select array_agg(m.user_id order by m.user_id, m.job), array_agg(m.job order by m.user_id, m.job)
  into v_ids, v_jobs
  from jobrunner.jobs_meant(in_tenant, in_user, in_job, in_source, in_kind, most + 1) as m;
  jobs := coalesce(cardinality(v_ids), 0);
  if jobs > most then
    raise exception 'more than % jobs are meant', most using errcode = 'JR016',
      hint = 'Choose fewer, or use the command line, which has no such bound.';
  end if;
  if jobs > coalesce(in_confirmed, 0) then
    raise exception '% jobs are meant by now, and % were confirmed', jobs, coalesce(in_confirmed, 0)
      using errcode = 'JR016', hint = 'Look at the number again.';
  end if;
  changed := 0;
  if in_act in ('pause', 'resume') and num_nonnulls(in_job, in_source, in_kind) = 0 then
    changed := case in_act
      when 'pause' then jobrunner.pause_jobs(in_tenant, in_user)
      else jobrunner.resume_jobs(in_tenant, in_user)
    end;
  else
    select array_agg(l.user_id order by l.user_id, l.name), array_agg(l.key order by l.user_id, l.name),
      array_agg(l.name order by l.user_id, l.name)
    into v_ids, v_users, v_jobs
    from (
      select j.user_id, u.key, j.name
      from unnest(v_ids, v_jobs) as m (user_id, job)
      join jobrunner.jobs as j on j.user_id = m.user_id and j.name = m.job
      join jobrunner.users as u on u.id = j.user_id
      order by j.user_id, j.name
      for no key update of j
    ) as l;
    for v_place in 1..coalesce(cardinality(v_ids), 0) loop
      v_done := case in_act
        when 'run' then (jobrunner.enqueue(in_tenant, v_users[v_place], v_jobs[v_place])
          in ('due', 'follows_running'))::integer
        when 'full' then (jobrunner.enqueue(in_tenant, v_users[v_place], v_jobs[v_place], in_full => true)
          in ('due', 'follows_running'))::integer
        when 'cancel' then jobrunner.cancel_jobs(in_tenant, v_users[v_place], v_jobs[v_place])
        when 'pause' then jobrunner.pause_jobs(in_tenant, v_users[v_place], v_jobs[v_place])
        when 'resume' then jobrunner.resume_jobs(in_tenant, v_users[v_place], v_jobs[v_place])
        when 'retry' then jobrunner.retry_jobs(in_tenant, v_users[v_place], v_jobs[v_place])
        when 'reset' then jobrunner.reset_jobs(in_tenant, v_users[v_place], v_jobs[v_place])
        when 'repair' then jobrunner.repair_jobs(in_tenant, v_users[v_place], v_jobs[v_place])
      end;
      changed := changed + least(v_done, 1);
    end loop;
  end if;
  perform jobrunner.note_act('act_on_jobs', in_job,
    jsonb_build_object('act', in_act, 'source', in_source, 'kind', in_kind, 'jobs', jobs, 'changed', changed),
    in_tenant, in_user);
  return next;
end
$$;
comment on function jobrunner.act_on_jobs is 'Does to all jobs that a filter means what a verb does to one, and notes it as one act.';
