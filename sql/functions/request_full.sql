create or replace function jobrunner.request_full(
  in_job jobrunner.jobs,
  in_entities text[],
  in_repair boolean
) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Asks for full passes of a locked job's entities. The items of one with for_each have a checkpoint each, named
-- entity#item; that of the entity as a whole tells a run, which reads no other beforehand, that its rows are not fresh
-- enough. Each request has a number of its own: a pass that has begun does not know of it and can't fulfil it.
-- Not for callers: enqueue_job, repair_jobs.
begin
  insert into jobrunner.checkpoints as k (user_id, job_name, entity, tenant_id, full_asked, repair_asked)
  select in_job.user_id, in_job.name, asked.entity, in_job.tenant_id, 1, in_repair::integer
  from (
    select e ->> 'entity' as entity
    from jobrunner.job_files as f
    cross join lateral jsonb_array_elements(f.expanded -> 'entities') as e
    where f.name = in_job.name and e ->> 'entity' = any (in_entities)
    union all
    select c.entity
    from jobrunner.checkpoints as c
    where c.user_id = in_job.user_id and c.job_name = in_job.name and c.entity like '%#%'
      and split_part(c.entity, '#', 1) = any (in_entities)
  ) as asked
  on conflict (user_id, job_name, entity) do update
  set full_asked = k.full_asked + 1, repair_asked = case when in_repair then k.full_asked + 1 else k.repair_asked end;
end
$$;
comment on function jobrunner.request_full is 'Asks for full passes of a job''s entities.';
