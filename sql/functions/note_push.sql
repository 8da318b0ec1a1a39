create or replace function jobrunner.note_push(
  in_user_id bigint,
  in_name text,
  in_entity text,
  in_fence bigint,
  in_pushed bigint,
  in_failed bigint,
  in_swept bigint
) returns boolean
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Counts what a run brought to the source, what was refused, and what it deleted as too old; called in the same
-- transaction as the rows it counts, after hold_job. Returns true; the counters of an earlier run are begun anew.
begin
  insert into jobrunner.checkpoints as k (
    user_id, job_name, entity, tenant_id, run_fence, run_pushed_count, run_push_failed_count, run_swept_count
  )
  select in_user_id, in_name, in_entity, j.tenant_id, in_fence, in_pushed, in_failed, in_swept
  from jobrunner.jobs as j
  where j.user_id = in_user_id and j.name = in_name
  on conflict (user_id, job_name, entity) do update
  set run_fence = in_fence,
    run_pushed_count = case when k.run_fence = in_fence then k.run_pushed_count else 0 end + in_pushed,
    run_push_failed_count = case when k.run_fence = in_fence then k.run_push_failed_count else 0 end + in_failed,
    run_swept_count = case when k.run_fence = in_fence then k.run_swept_count else 0 end + in_swept,
    run_page_count = case when k.run_fence = in_fence then k.run_page_count else 0 end,
    run_fetched_count = case when k.run_fence = in_fence then k.run_fetched_count else 0 end,
    run_inserted_count = case when k.run_fence = in_fence then k.run_inserted_count else 0 end,
    run_updated_count = case when k.run_fence = in_fence then k.run_updated_count else 0 end,
    run_unchanged_count = case when k.run_fence = in_fence then k.run_unchanged_count else 0 end,
    run_skipped_older_count = case when k.run_fence = in_fence then k.run_skipped_older_count else 0 end,
    run_skipped_incompatible_count =
      case when k.run_fence = in_fence then k.run_skipped_incompatible_count else 0 end,
    run_filtered_count = case when k.run_fence = in_fence then k.run_filtered_count else 0 end,
    run_duplicate_count = case when k.run_fence = in_fence then k.run_duplicate_count else 0 end,
    run_deleted_count = case when k.run_fence = in_fence then k.run_deleted_count else 0 end;
  return true;
end
$$;
comment on function jobrunner.note_push is
  'Adds pushed, refused and swept rows to the counters of a run, in the transaction that changed them.';
