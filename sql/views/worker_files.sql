create or replace view jobrunner.worker_files as
select w.id as worker_id, w.host, f.name as job, f.version, s.version as stored_version,
  f.version is not distinct from s.version as is_stored
from jobrunner.workers as w
cross join lateral unnest(w.job_names, w.job_versions) as f (name, version)
left join jobrunner.job_files as s on s.name = f.name
where w.ended_at is null
order by f.name, w.id;
comment on view jobrunner.worker_files is 'Which worker has which version of which job file?';
comment on column jobrunner.worker_files.worker_id is 'Number of the worker.';
comment on column jobrunner.worker_files.host is 'Its machine or container.';
comment on column jobrunner.worker_files.job is 'The job file.';
comment on column jobrunner.worker_files.version is 'The version that the worker has.';
comment on column jobrunner.worker_files.stored_version is 'The version that migrate stored; null: none.';
comment on column jobrunner.worker_files.is_stored is 'Both are the same.';
