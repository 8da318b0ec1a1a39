create or replace function jobrunner.maintain_runs(
  in_keep interval default '30 days'
) returns table (
  created integer,
  dropped integer,
  postponed boolean
)
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '50ms'
as $$
-- Makes the partitions of runs for today and the next seven days, and for past days of which runs_other holds rows;
-- drops those wholly older than in_keep, and such rows. Also forgets workers that ended as long ago, events and
-- changes of more than a week, what was done more than 400 days ago, and hosts of sources that were not asked for a
-- day. Any worker may call it: while one is at it, the others do nothing. A partition is made under a lock on
-- runs_other, and dropped under one on runs: who reads history for long keeps either away, and while it is waited for,
-- outcomes wait too. So it is waited for 50 ms, once; what was made stays, and postponed says that the rest is left to
-- the next call.
declare
  v_day date;
  v_move text;
  -- While rows have nowhere to go a partition a call is made: moving them takes time.
  v_is_late boolean;
  v_name text;
  -- Rows that one call deletes at most of each table.
  v_rows_max constant integer := 10000;
  v_events integer;
  -- Of these there may be one a row and day.
  v_changes_max constant integer := 50000;
  v_changes integer;
  v_others integer;
  v_acts bigint;
begin
  created := 0;
  dropped := 0;
  postponed := false;
  perform from jobrunner.chores as c where c.name = 'maintain_runs' for no key update skip locked;
  if not found then
    return next;
    return;
  end if;
  -- A worker that was cleared holds no job.
  delete from jobrunner.workers as w where w.ended_at < now() - in_keep and w.cleared_at is not null;

  -- Hosts that users chose and of which nothing was heard for a day: a budget is full again by then, and whoever is
  -- away is found out anew.
  delete from jobrunner.sources as s
  where (s.tenant_id, s.name) in (
    select o.tenant_id, o.name
    from jobrunner.sources as o
    where position('@' in o.name) > 0 and o.refilled_at < now() - interval '1 day'
      and coalesce(o.blocked_until, '-infinity') < now() - interval '1 day'
    limit v_rows_max
    for update skip locked
  );

  -- The oldest transactions stand first. So many that no call takes long; postponed brings the next call within a
  -- minute.
  v_events := jobrunner.forget_events(v_rows_max);
  v_changes := jobrunner.forget_changes(v_changes_max);
  delete from jobrunner.runs_other as o
  where o.ctid = any (array(select p.ctid from jobrunner.runs_other as p
    where p.ended_at < now() - in_keep limit v_rows_max));
  get diagnostics v_others = row_count;

  v_acts := jobrunner.forget_acts();
  v_is_late := exists (select from jobrunner.runs_other);
  for v_day in
    select (now() at time zone 'UTC')::date + g.ahead from generate_series(0, 7) as g (ahead)
    union all
    -- What came while nobody made partitions, or when a clock was wrong: one such day a call.
    select (min(o.ended_at) at time zone 'UTC')::date
    from jobrunner.runs_other as o
    where o.ended_at >= now() - in_keep and o.ended_at < date_trunc('day', now(), 'UTC')
    having min(o.ended_at) is not null
  loop
    v_name := 'runs_' || to_char(v_day, 'YYYYMMDD');
    continue when to_regclass('jobrunner.' || v_name) is not null;
    begin
      execute format('create table jobrunner.%I (like jobrunner.runs including defaults including constraints)',
        v_name);
      execute format('alter table jobrunner.%I enable row level security', v_name);
      v_move := format(
        'with moved as (delete from jobrunner.runs_other where ended_at >= %L and ended_at < %L returning *)
        insert into jobrunner.%I select * from moved',
        v_day::text || ' 00:00:00+00', (v_day + 1)::text || ' 00:00:00+00', v_name);
      -- Whether the lock can be had now: what is moved would be undone without it.
      begin
        lock table jobrunner.runs_other in access exclusive mode;
        raise exception 'it can be had' using errcode = 'JR099';
      exception when sqlstate 'JR099' then
        null;
      end;
      -- Rows of that day that arrived before its partition did move into it: nearly all while others read and write.
      execute v_move;
      lock table jobrunner.runs_other in access exclusive mode;
      execute v_move;
      execute format(
        'alter table jobrunner.runs attach partition jobrunner.%I for values from (%L) to (%L)',
        v_name, v_day::text || ' 00:00:00+00', (v_day + 1)::text || ' 00:00:00+00');
      execute format('comment on table jobrunner.%I is %L', v_name, 'Runs that ended on ' || v_day || ' (UTC).');
    exception when lock_not_available then
      postponed := true;
      return next;
      return;
    end;
    created := created + 1;
    if v_is_late then
      postponed := true;
      return next;
      return;
    end if;
  end loop;

  for v_name in
    select c.relname
    from pg_inherits as i
    join pg_class as c on c.oid = i.inhrelid
    where i.inhparent = 'jobrunner.runs'::regclass and c.relname ~ '^runs_[0-9]{8}$'
      and to_date(right(c.relname, 8), 'YYYYMMDD') + 1 <= (now() - in_keep) at time zone 'UTC'
  loop
    begin
      execute format('drop table jobrunner.%I', v_name);
    exception when lock_not_available then
      postponed := true;
      return next;
      return;
    end;
    dropped := dropped + 1;
  end loop;
  postponed := v_rows_max in (v_events, v_others, v_acts) or v_changes = v_changes_max;
  return next;
end
$$;
comment on function jobrunner.maintain_runs is 'Keeps a partition of runs per day ahead, and drops what retention ends.';
