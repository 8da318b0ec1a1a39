create or replace view jobrunner.job_file_workers as
select f.name as job, count(w.version) filter (where w.version = f.version) as same_count,
  count(w.version) filter (where w.version <> f.version) as other_count
from jobrunner.job_files as f
left join (
  select v.name, v.version
  from jobrunner.workers as w
  cross join lateral unnest(w.job_names, w.job_versions) as v (name, version)
  where w.ended_at is null
) as w on w.name = f.name
group by f.name;
comment on view jobrunner.job_file_workers is 'How many workers have the stored version of each job file, and how many another?';
comment on column jobrunner.job_file_workers.job is 'The job file.';
comment on column jobrunner.job_file_workers.same_count is 'Workers that have the version that migrate stored.';
comment on column jobrunner.job_file_workers.other_count is 'Workers that have another one.';
