create or replace function jobrunner.run_counters(
  in_checkpoint jobrunner.checkpoints
) returns jsonb
language sql immutable parallel safe
as $$
select jsonb_build_object(
  'pages', in_checkpoint.run_page_count,
  'fetched', in_checkpoint.run_fetched_count,
  'inserted', in_checkpoint.run_inserted_count,
  'updated', in_checkpoint.run_updated_count,
  'unchanged', in_checkpoint.run_unchanged_count,
  'skipped_older', in_checkpoint.run_skipped_older_count,
  'skipped_incompatible', in_checkpoint.run_skipped_incompatible_count,
  'filtered', in_checkpoint.run_filtered_count,
  'duplicate', in_checkpoint.run_duplicate_count,
  'deleted', in_checkpoint.run_deleted_count,
  'swept', in_checkpoint.run_swept_count,
  'pushed', in_checkpoint.run_pushed_count,
  'push_failed', in_checkpoint.run_push_failed_count
)
$$;
comment on function jobrunner.run_counters is 'The counters of a checkpoint''s run, as runs.entities keeps them.';
