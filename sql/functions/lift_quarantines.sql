create or replace function jobrunner.lift_quarantines() returns integer
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Gives jobs whose quarantine is over one more run; returns how many. What set them aside is still counted, so the
-- next crash or stall sets them aside for twice as long; a committed page clears it. A job that somebody's transaction
-- holds is left to the next call.
declare
  v_count integer;
  v_oldest timestamptz;
begin
  with over as materialized (
    select j.user_id, j.name
    from jobrunner.jobs as j
    where j.quarantined_at is not null and j.due_at <= now()
    for no key update skip locked
  ), lifted as (
    update jobrunner.jobs as j
    set quarantined_at = null, quarantine_reason = null
    from over as o
    where j.user_id = o.user_id and j.name = o.name
    returning j.due_at
  )
  select count(*), min(l.due_at) into v_count, v_oldest from lifted as l;
  if v_count > 0 then
    perform jobrunner.wake_workers(v_oldest, in_jobs => v_count);
  end if;
  return v_count;
end
$$;
comment on function jobrunner.lift_quarantines is 'Lets jobs run again whose quarantine is over.';
