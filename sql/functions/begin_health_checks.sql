create or replace function jobrunner.begin_health_checks() returns boolean
language sql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Whether it is time to ask the questions of the job files' health: once a day, by whichever worker comes first.
select jobrunner.take_chore('health', '1 day') is not null
$$;
comment on function jobrunner.begin_health_checks is 'Whether it is time to look for what job files say ought not to be.';
