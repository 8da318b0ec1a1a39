create or replace function jobrunner.session_figures() returns table (
  state text,
  sessions bigint,
  oldest_snapshot_seconds double precision
)
language sql stable security definer
set search_path = pg_catalog, pg_temp
as $$
-- The sessions of this database by state, and the age of the oldest snapshot among each. With its owner's rights:
-- whoever watches sees what workers' sessions do, and no text of a statement. What another role's session does is
-- unknown, unless the owner is a member of pg_read_all_stats.
select coalesce(a.state, 'unknown'), count(*),
  max(extract(epoch from now() - a.xact_start)) filter (where a.backend_xmin is not null)
from pg_stat_activity as a
where a.datname = current_database() and a.pid <> pg_backend_pid() and coalesce(a.backend_type = 'client backend', true)
group by 1
$$;
comment on function jobrunner.session_figures is 'Sessions of this database by state. Not for callers: gauges.';
