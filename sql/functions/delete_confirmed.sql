create or replace function jobrunner.delete_confirmed(
  in_user_id bigint,
  in_name text,
  in_entity text,
  in_fence bigint,
  in_table text,
  in_key text[],
  in_hashes bigint[]
) returns bigint
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Deletes rows of which the source has said that they are gone, and counts them as swept; an edit that was made
-- meanwhile stays. Returns how many. Called in a transaction of its own, after hold_job. Not for callers: runs.
declare
  v_count bigint;
begin
  execute format(
    'delete from synced.%1$I as t where t.user_id = $1 and t.synced and jobrunner.key_hash(%2$s) = any ($2)',
    in_table,
    (select string_agg(format('t.%I::text', c.name), ', ' order by c.number)
      from unnest(in_key) with ordinality as c (name, number)))
  using in_user_id, in_hashes;
  get diagnostics v_count = row_count;
  update jobrunner.checkpoints as k
  set run_fence = in_fence,
    counters = jobrunner.counted_on(k, in_fence, jobrunner.make_counters(swept => v_count))
  where k.user_id = in_user_id and k.job_name = in_name and k.entity = in_entity;
  return v_count;
end
$$;
comment on function jobrunner.delete_confirmed is 'Deletes rows that the source says are gone. Not for callers: runs.';
