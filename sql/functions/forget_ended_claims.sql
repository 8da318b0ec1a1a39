create or replace function jobrunner.forget_ended_claims(
  in_worker_id bigint,
  in_first_fences bigint[] default null
) returns integer
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
-- Deletes the batches of a worker of which no job runs any more, of those with these first fences where they are named.
-- Returns how many are left. A batch that a claim is about to note is seen with its jobs or not at all. Whatever a
-- worker knows, the jobs are asked: a failover may have lost an end that the worker was told of, and a fence may be
-- drawn again.
begin
  delete from jobrunner.claims as c
  where c.worker_id = in_worker_id
    and (in_first_fences is null or c.first_fence = any (in_first_fences))
    and not exists (
      select
      from unnest(c.user_ids) with ordinality as u (id, number)
      join jobrunner.jobs as j on j.user_id = u.id and j.fence = c.first_fence + u.number - 1
      where j.worker_id = c.worker_id
    );
  return (select count(*)::integer from jobrunner.claims as c where c.worker_id = in_worker_id);
end
$$;
comment on function jobrunner.forget_ended_claims is 'Deletes batches of which no job runs any more.';
