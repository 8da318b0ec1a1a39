create or replace function jobrunner.run_totals(
  in_user_ids bigint[],
  in_names text[],
  in_fences bigint[]
) returns table (
  user_id bigint,
  name text,
  pages integer,
  fetched bigint,
  inserted bigint,
  updated bigint,
  unchanged bigint,
  skipped_older bigint,
  skipped_incompatible bigint,
  filtered bigint,
  duplicate bigint,
  deleted bigint,
  swept bigint,
  pushed bigint,
  push_failed bigint,
  changed bigint,
  entities jsonb
)
language plpgsql stable
set search_path = pg_catalog
set enable_seqscan = off
as $$
-- What runs have committed, added up over the checkpoints that they moved; a row for each given run.
-- changed: rows of synced tables, pushes left out. Not for callers: the verbs that end runs.
#variable_conflict use_column
begin
  return query
    select g.user_id, g.name,
      coalesce(sum(k.run_page_count), 0)::integer,
      coalesce(sum(k.run_fetched_count), 0)::bigint,
      coalesce(sum(k.run_inserted_count), 0)::bigint,
      coalesce(sum(k.run_updated_count), 0)::bigint,
      coalesce(sum(k.run_unchanged_count), 0)::bigint,
      coalesce(sum(k.run_skipped_older_count), 0)::bigint,
      coalesce(sum(k.run_skipped_incompatible_count), 0)::bigint,
      coalesce(sum(k.run_filtered_count), 0)::bigint,
      coalesce(sum(k.run_duplicate_count), 0)::bigint,
      coalesce(sum(k.run_deleted_count), 0)::bigint,
      coalesce(sum(k.run_swept_count), 0)::bigint,
      coalesce(sum(k.run_pushed_count), 0)::bigint,
      coalesce(sum(k.run_push_failed_count), 0)::bigint,
      coalesce(sum(k.run_inserted_count + k.run_updated_count + k.run_deleted_count + k.run_swept_count), 0)::bigint,
      coalesce(
        jsonb_object_agg(k.entity, jobrunner.run_counters(k)) filter (where k.entity is not null), '{}'
      )
    from unnest(in_user_ids, in_names, in_fences) as g (user_id, name, fence)
    left join jobrunner.checkpoints as k
      on k.user_id = g.user_id and k.job_name = g.name and k.run_fence = g.fence
    group by g.user_id, g.name;
end
$$;
comment on function jobrunner.run_totals is 'Counters of runs, added up over their entities.';
