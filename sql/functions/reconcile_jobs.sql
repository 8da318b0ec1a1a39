create or replace function jobrunner.reconcile_jobs() returns integer
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Once a minute, by whichever worker comes first: takes back jobs that run under a worker that has ended or is
-- forgotten. When the server's clock was set back, it brings due times that a wrong clock has made to what is right by
-- today's.
-- Returns how many jobs it put right; 0 as well when it is not time or another worker is at it.
declare
  v_was_ahead constant boolean := jobrunner.take_chore('reconcile', '1 minute');
  v_orphans record;
  v_count integer := 0;
  v_moved integer := 0;
begin
  if v_was_ahead is null then
    return 0;
  end if;

  for v_orphans in
    select h.worker_id, array_agg(h.user_id) as user_ids, array_agg(h.name) as names
    from jobrunner.held_jobs() as h
    where not exists (select from jobrunner.workers as w where w.id = h.worker_id and w.cleared_at is null)
    group by h.worker_id
  loop
    v_count := v_count
      + (jobrunner.crash_runs(v_orphans.worker_id, v_orphans.user_ids, v_orphans.names, 'found later')).job_count;
  end loop;

  delete from jobrunner.claims as c
  where not exists (select from jobrunner.workers as w where w.id = c.worker_id and w.cleared_at is null)
    and not exists (select from jobrunner.held_jobs() as h where h.worker_id = c.worker_id);
  delete from jobrunner.announcements as a where a.at < now() - interval '1 hour';
  if v_was_ahead then
    v_moved := jobrunner.repair_due_times();
  end if;
  return v_count + v_moved;
end
$$;
comment on function jobrunner.reconcile_jobs is
  'Puts right what no verb should have left: jobs that run nowhere, due times of a clock that was wrong.';
