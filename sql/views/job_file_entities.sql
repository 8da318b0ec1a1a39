create or replace view jobrunner.job_file_entities as
select f.name as job, f.source, e.value ->> 'entity' as entity, e.value -> 'write' ->> 'table' as table_name,
  e.value ->> 'enabled' is distinct from 'false' as is_enabled, e.place::integer as place
from jobrunner.job_files as f
cross join lateral jsonb_array_elements(f.expanded -> 'entities') with ordinality as e (value, place);
comment on view jobrunner.job_file_entities is 'What does each job file read, and into which tables?';
comment on column jobrunner.job_file_entities.job is 'The job file.';
comment on column jobrunner.job_file_entities.source is 'Its source.';
comment on column jobrunner.job_file_entities.entity is 'The kind of record.';
comment on column jobrunner.job_file_entities.table_name is 'The table in schema synced.';
comment on column jobrunner.job_file_entities.is_enabled is 'False: the file has it, and it is not read.';
comment on column jobrunner.job_file_entities.place is 'Its place in the file, from 1.';
