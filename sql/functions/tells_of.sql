create or replace function jobrunner.tells_of(
  in_event text
) returns boolean
language sql stable
-- Whether any job file asks that applications are told of such events; asked once a batch. Not for callers: take_jobs,
-- end_claims.
return exists (select from jobrunner.job_files as f where f.events <> '{}' and in_event = any (f.events));
comment on function jobrunner.tells_of is 'Whether applications are told of an event of any job.';
