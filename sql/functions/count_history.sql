create or replace function jobrunner.count_history() returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Keeps for the curves of the pages what was counted last: whose data is fresh, and what waits. Once in a quarter of an
-- hour; forgets what is older than three days. Not for callers: count_waiting.
declare
  v_at constant timestamptz := date_bin('15 minutes', now(), '2000-01-01 00:00:00+00');
begin
  if exists (select from jobrunner.chores as c where c.name = 'history' and c.done_at >= v_at) then
    return;
  end if;
  if jobrunner.take_chore('history', '1 minute') is null then
    return;
  end if;
  insert into jobrunner.history_counts as h (at, measure, subject, detail, value)
  select v_at, 'fresh_percent', f.job_name, coalesce(t.name, ''), round(100.0 * f.fresh / f.users, 2)
  from jobrunner.freshness_counts as f
  left join jobrunner.tenants as t on t.id = f.tenant_id
  where f.counted_at is not null and f.users > 0 and (f.tenant_id = 0 or t.id is not null)
  union all
  select v_at, 'waiting', w.reason, '', w.jobs
  from jobrunner.waiting_counts as w
  where w.tenant_id = 0
  on conflict (measure, at, subject, detail) do update set value = excluded.value;
  delete from jobrunner.history_counts as h
  using unnest(array['runs', 'requests', 'request_seconds', 'fresh_percent', 'waiting']) as m (name)
  where h.measure = m.name and h.at < v_at - interval '3 days';
end
$$;
comment on function jobrunner.count_history is 'Keeps for the pages what was counted last. Not for callers: count_waiting.';
