create or replace function jobrunner.other_files(
  in_worker jobrunner.workers
) returns text[]
language sql stable
security definer
set search_path = pg_catalog, pg_temp
as $$
-- The job files of a worker that are not those that migrate stored: before its restart in a rollout, or for ever where
-- a machine was forgotten.
select coalesce(array_agg(f.name order by f.name), '{}')
from unnest((in_worker).job_names, (in_worker).job_versions) as h (name, version)
join jobrunner.job_files as f on f.name = h.name
where f.version <> h.version
$$;
comment on function jobrunner.other_files is 'The job files of a worker that are not the stored ones.';
