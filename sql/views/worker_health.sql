create or replace view jobrunner.worker_health as
select w.id as worker_id, w.host, w.pid, w.version,
  case
    when w.ended_at is not null then w.end_reason
    when w.session_gone_at is not null then 'session gone'
    when w.draining_at is not null then 'draining'
    when w.heartbeat_at >= now() - interval '1 minute' and not jobrunner.is_alive(w) then 'session gone'
    else 'alive'
  end as health,
  w.capacity,
  coalesce(h.running_count, 0) as running_count,
  now() - w.heartbeat_at as silent_for, w.started_at, w.ended_at,
  case when w.ended_at is null then array_to_string(jobrunner.other_files(w), ', ') end as other_files
from jobrunner.workers as w
left join (
  select j.worker_id, count(*) as running_count
  from jobrunner.held as j
  group by j.worker_id
) as h on h.worker_id = w.id
order by w.ended_at is not null, w.id;
comment on view jobrunner.worker_health is 'Which workers are there, and how are they?';
comment on column jobrunner.worker_health.worker_id is 'Number of the worker.';
comment on column jobrunner.worker_health.host is 'Its machine or container.';
comment on column jobrunner.worker_health.pid is 'Its process there.';
comment on column jobrunner.worker_health.version is 'Its version.';
comment on column jobrunner.worker_health.health is 'alive, draining, session gone, or how it ended: stopped, silent, session_gone.';
comment on column jobrunner.worker_health.capacity is 'Most jobs it runs at once.';
comment on column jobrunner.worker_health.running_count is 'Jobs it holds now.';
comment on column jobrunner.worker_health.silent_for is 'Since its last heartbeat.';
comment on column jobrunner.worker_health.started_at is 'When it registered.';
comment on column jobrunner.worker_health.ended_at is 'When it left or was given up.';
comment on column jobrunner.worker_health.other_files is 'Its job files that are not those that migrate stored; empty: none.';
