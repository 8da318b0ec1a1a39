create or replace view jobrunner.tenant_shares as
with noted as (
  -- A worker tells every ten seconds while it has runs, and once more when it has none. What one has told that ended
  -- since counts as well.
  select s.*
  from jobrunner.slot_use as s
  join jobrunner.workers as w on w.id = s.worker_id
  where s.noted_at > now() - case when w.ended_at is null then interval '30 seconds' else interval '5 minutes' end
), had as (
  select u.tenant_id, sum(u.slot_ms) as slot_ms
  from noted as n
  cross join lateral unnest(n.tenant_ids, n.slot_ms) as u (tenant_id, slot_ms)
  group by u.tenant_id
), total as (
  select sum(h.slot_ms) + (select sum(n.other_ms) from noted as n) as slot_ms from had as h
), waiting as (
  select j.tenant_id, count(*) as due_count, min(j.claimable_at) as waiting_since
  from jobrunner.jobs as j
  join jobrunner.tenants as o on o.id = j.tenant_id
  where j.claimable_at <= now() and j.state = 'waiting' and o.paused_at is null
  group by j.tenant_id
)
select t.name as tenant, t.weight,
  round(100.0 * t.weight / sum(t.weight) over (), 2) as asked_percent,
  round(100.0 * coalesce(h.slot_ms, 0) / nullif((select total.slot_ms from total), 0), 2) as had_percent,
  round(coalesce(h.slot_ms, 0) / 1000.0, 1) as slot_seconds,
  coalesce(w.due_count, 0) as due_count, w.waiting_since
from jobrunner.tenants as t
left join had as h on h.tenant_id = t.id
left join waiting as w on w.tenant_id = t.id
where h.tenant_id is not null or w.tenant_id is not null;
comment on view jobrunner.tenant_shares is 'Who had what of the slots in the last five minutes? Tenants that had runs or have due jobs; who asks for less than its share leaves the rest to others.';
comment on column jobrunner.tenant_shares.tenant is 'Name of the tenant.';
comment on column jobrunner.tenant_shares.weight is 'Its weight.';
comment on column jobrunner.tenant_shares.asked_percent is 'Its weight among the tenants of this view: its share when all of them want all they can have.';
comment on column jobrunner.tenant_shares.had_percent is 'The share of all slot time that its runs had; null: nobody had any.';
comment on column jobrunner.tenant_shares.slot_seconds is 'The same in seconds, added up over slots and workers.';
comment on column jobrunner.tenant_shares.due_count is 'Its jobs that are due and not claimed.';
comment on column jobrunner.tenant_shares.waiting_since is 'Since when the oldest of them has been due.';
