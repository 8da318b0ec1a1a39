create or replace function jobrunner.leave_worker(
  in_worker_id integer,
  in_is_clear boolean default false
) returns boolean
language sql volatile
set search_path = pg_catalog
as $$
-- A worker's orderly end. in_is_clear: it finished or released all it held, so that nobody need look for its jobs.
-- False: it was given up before.
with ended as (
  update jobrunner.workers as w
  set ended_at = now(), end_reason = 'stopped', running_count = 0, cleared_at = case when in_is_clear then now() end
  where w.id = in_worker_id and w.ended_at is null
  returning 1
)
select exists (select from ended)
$$;
comment on function jobrunner.leave_worker is 'A worker''s orderly end.';
