create or replace function jobrunner.lift_quarantines() returns integer
language sql volatile
set search_path = pg_catalog
as $$
-- Gives jobs whose quarantine is over one more run; returns how many. What set them aside is still counted, so the
-- next crash or stall sets them aside for twice as long; a committed page clears it.
with lifted as (
  update jobrunner.jobs as j
  set quarantined_at = null, quarantine_reason = null
  where j.quarantined_at is not null and j.due_at <= now()
  returning 1
)
select count(*)::integer from lifted
$$;
comment on function jobrunner.lift_quarantines is 'Lets jobs go on whose quarantine is over.';
