create or replace function jobrunner.lose_edits(
  in_user_id bigint,
  in_name text,
  in_fence bigint,
  in_entity text,
  in_records text[]
) returns bigint
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Counts and tells edits and deletions made here that gave way to what the source has, as a push met it. In a
-- transaction that begins with hold_job. Returns how many. Not for callers: pushes.
begin
  if in_records is null then
    return 0;
  end if;
  insert into jobrunner.checkpoints as k (user_id, job_name, entity, tenant_id, run_fence, counters)
  select in_user_id, in_name, in_entity, j.tenant_id, in_fence,
    jobrunner.make_counters(edits_lost => cardinality(in_records))
  from jobrunner.jobs as j
  where j.user_id = in_user_id and j.name = in_name
  on conflict (user_id, job_name, entity) do update
  set run_fence = in_fence,
    counters = jobrunner.counted_on(k, in_fence, excluded.counters);
  perform jobrunner.tell_conflicts(in_user_id, in_name, in_fence, in_entity, in_records, 'theirs');
  return cardinality(in_records);
end
$$;
comment on function jobrunner.lose_edits is 'Counts and tells local edits that gave way to the source''s. Not for callers: pushes.';
