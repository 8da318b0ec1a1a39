create or replace function jobrunner.leave_worker(
  in_worker_id integer
) returns boolean
language sql volatile
set search_path = pg_catalog
as $$
-- A worker's orderly end, after it finished or released all it held. False: it was given up before.
with ended as (
  update jobrunner.workers as w
  set ended_at = now(), end_reason = 'stopped', running_count = 0
  where w.id = in_worker_id and w.ended_at is null
  returning 1
)
select exists (select from ended)
$$;
comment on function jobrunner.leave_worker is 'A worker''s orderly end.';
