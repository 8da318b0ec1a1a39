create or replace function jobrunner.begin_health_checks() returns boolean
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Whether it is time to ask the questions of the job files' health: once a day, by whichever worker comes first. A time that lies ahead
-- is a clock's that was set back.
declare
  v_name text;
begin
  select c.name into v_name
  from jobrunner.chores as c
  where c.name = 'health' and (c.done_at > now() or c.done_at <= now() - interval '1 day' or c.done_at is null)
  for no key update skip locked;
  if not found then
    return false;
  end if;
  update jobrunner.chores as c set done_at = now(), latest_at = greatest(c.latest_at, now()) where c.name = v_name;
  return true;
end
$$;
comment on function jobrunner.begin_health_checks is 'Whether it is time to look for what job files say ought not to be.';
