create or replace function jobrunner.take_chore(
  in_name text,
  in_period interval
) returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Takes the turn of a chore that is done once in in_period, by whichever worker comes first, and holds it until the
-- transaction ends.
-- Returns null when it is not time or another worker is at it; else whether it was last done at a time that lies ahead,
-- which is so after the server's clock was set back.
declare
  v_was_ahead boolean;
begin
  -- By the clock: another worker may have taken the turn after this transaction had begun.
  select coalesce(c.done_at > clock_timestamp(), false) into v_was_ahead
  from jobrunner.chores as c
  where c.name = in_name
    and (c.done_at > clock_timestamp() or c.done_at <= clock_timestamp() - in_period or c.done_at is null)
  for no key update skip locked;
  if found then
    update jobrunner.chores as c set done_at = now(), latest_at = greatest(c.latest_at, now()) where c.name = in_name;
  end if;
  return v_was_ahead;
end
$$;
comment on function jobrunner.take_chore is 'Takes the turn of a chore, if it is time. Not for callers: the chores.';
