create or replace function jobrunner.take_jobs(
  in_worker_id integer,
  in_places tid[]
) returns jobrunner.claimed_job[]
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
-- Marks jobs as running for a worker and notes the batch. The caller has locked their rows in this transaction, at most
-- 999, so that no ctid has changed. Each gets one of the thousand numbers that one drawing of a fence gives.
-- Not for callers: the verbs that claim.
declare
  v_fence bigint;
  v_nonce uuid;
  v_jobs jobrunner.claimed_job[];
begin
  if in_places = '{}' then
    return '{}';
  end if;
  v_fence := nextval('jobrunner.fences');
  v_nonce := gen_random_uuid();
  with taken as (
    update jobrunner.jobs as j
    set worker_id = in_worker_id,
      fence = v_fence + p.number - 1,
      nonce = v_nonce,
      started_at = now(),
      deadline_at = now() + j.deadline,
      next_due_at = jobrunner.next_tick(now(), j.every, j.phase),
      untriggered_due_at = null
    from unnest(in_places) with ordinality as p (ctid, number)
    where j.ctid = p.ctid
    returning j.*, j.ctid as place
  )
  select array_agg((
    t.user_id, t.name, t.tenant_id, t.fence, t.nonce, t.due_at, t.started_at,
      jobrunner.last_tick(t.next_due_at, t.every, t.phase),
    (date_part('epoch', t.deadline) * 1000)::bigint, t.priority, t.force_requested, t.entity_requested, t.last_outcome,
    t.last_success_at, t.unchanged_at, t.place
  )::jobrunner.claimed_job order by t.fence)
  into v_jobs
  from taken as t;
  insert into jobrunner.claims (worker_id, first_fence, user_ids)
  select in_worker_id, v_fence, array(select j.user_id from unnest(v_jobs) as j order by j.fence);
  if jobrunner.tells_of('sync') then
    perform jobrunner.tell_events('sync_began', array_agg(j.user_id), array_agg(j.name), array_agg(j.fence))
      from unnest(v_jobs) as j;
  end if;
  return v_jobs;
end
$$;
comment on function jobrunner.take_jobs is 'Marks locked jobs as running for a worker. Not for callers: the verbs that claim.';
