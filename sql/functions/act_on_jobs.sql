create or replace function jobrunner.act_on_jobs(
  in_act text,
  in_confirmed integer,
  in_tenant text,
  in_user text default null,
  in_job text default null,
  in_source text default null,
  in_kind text default null,
  in_why text default null
) returns integer
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Does to each job that a filter means (jobs_meant) what the verb of that name does to one: run, full, cancel, pause,
-- resume, retry, reset, repair. Returns how many jobs the filter meant. in_confirmed is how many a person was told
-- there are. Raises JR016 for another word, and when there are by now a tenth and ten more than that, or more than
-- 10,000; then nothing is done. One row of audit has the filter, the number and why; each verb leaves its own beside
-- it. Jobs are locked one after the other in key order, as the verbs lock them.
declare
  most constant integer := 10000;
  v_count integer;
  v_meant record;
begin
  if in_act not in ('run', 'full', 'cancel', 'pause', 'resume', 'retry', 'reset', 'repair') then
    raise exception 'there is no act ''%''', in_act using errcode = 'JR016',
      hint = 'Expected run, full, cancel, pause, resume, retry, reset or repair.';
  end if;
  select count(*) into v_count
  from jobrunner.jobs_meant(in_tenant, in_user, in_job, in_source, in_kind, most + 1);
  if v_count > most then
    raise exception 'more than % jobs are meant', most using errcode = 'JR016',
      hint = 'Choose fewer, or use the command line, which has no such bound.';
  end if;
  if v_count > in_confirmed * 1.1 + 10 then
    raise exception '% jobs are meant by now, and % were confirmed', v_count, in_confirmed using errcode = 'JR016',
      hint = 'Look at the number again.';
  end if;
  for v_meant in
    select m.user_key, m.job
    from jobrunner.jobs_meant(in_tenant, in_user, in_job, in_source, in_kind, most) as m
    order by m.user_id, m.job
  loop
    case in_act
      when 'run' then perform jobrunner.enqueue(in_tenant, v_meant.user_key, v_meant.job);
      when 'full' then perform jobrunner.enqueue(in_tenant, v_meant.user_key, v_meant.job, in_full => true);
      when 'cancel' then perform jobrunner.cancel_jobs(in_tenant, v_meant.user_key, v_meant.job);
      when 'pause' then perform jobrunner.pause_jobs(in_tenant, v_meant.user_key, v_meant.job);
      when 'resume' then perform jobrunner.resume_jobs(in_tenant, v_meant.user_key, v_meant.job);
      when 'retry' then perform jobrunner.retry_jobs(in_tenant, v_meant.user_key, v_meant.job);
      when 'reset' then perform jobrunner.reset_jobs(in_tenant, v_meant.user_key, v_meant.job);
      when 'repair' then perform jobrunner.repair_jobs(in_tenant, v_meant.user_key, v_meant.job);
    end case;
  end loop;
  perform jobrunner.note_act('act_on_jobs', in_job,
    jsonb_build_object('act', in_act, 'source', in_source, 'kind', in_kind, 'jobs', v_count, 'why', left(in_why, 1000)),
    in_tenant, in_user);
  return v_count;
end
$$;
comment on function jobrunner.act_on_jobs is 'Does to all jobs that a filter means what a verb does to one, and notes it as one act.';
