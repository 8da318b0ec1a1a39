create or replace function jobrunner.has_other_file(
  in_user_id bigint,
  in_name text
) returns boolean
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
-- Whether the worker that runs a job has another file for it than the stored one. Not for callers: passes that end,
-- run_inputs.
begin
  return coalesce((
    select h.version <> f.version
    from jobrunner.jobs as j
    join jobrunner.job_files as f on f.name = j.name
    join jobrunner.workers as w on w.id = j.worker_id
    cross join lateral unnest(w.job_names, w.job_versions) as h (name, version)
    where j.user_id = in_user_id and j.name = in_name and h.name = in_name
  ), false);
end
$$;
comment on function jobrunner.has_other_file is 'Whether a job is run by another file than the stored one. Not for callers: passes that end, run_inputs.';
