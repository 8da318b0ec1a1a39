create or replace function jobrunner.tells_of_syncs() returns boolean
language sql stable
-- Whether any job file asks that applications are told of the beginning and the end of its runs; asked once a batch.
-- Not for callers: take_jobs, end_claims.
return exists (select from jobrunner.job_files as f where f.events <> '{}' and 'sync' = any (f.events));
comment on function jobrunner.tells_of_syncs is 'Whether applications are told of any job''s runs.';
