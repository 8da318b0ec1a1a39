drop function if exists jobrunner.commit_page(
  bigint, text, text, bigint, bigint, integer, text, timestamptz, text, text, text, text, boolean, text, boolean, text, text,
  integer, bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint, bigint
);
create or replace function jobrunner.commit_page(
  in_user_id bigint,
  in_name text,
  in_entity text,
  in_fence bigint,
  in_generation bigint,
  in_page_number integer,
  in_pass_kind text,
  in_pass_started_at timestamptz,
  in_pass_since text,
  in_cursor text,
  in_sync_token text,
  in_partial_watermark text,
  in_ended boolean,
  in_watermark text,
  in_is_whole boolean,
  in_validator text,
  in_probe text,
  in_page_count integer,
  in_pass_number integer,
  in_wish integer,
  in_fetched bigint,
  in_inserted bigint,
  in_updated bigint,
  in_unchanged bigint,
  in_skipped_older bigint,
  in_skipped_incompatible bigint,
  in_filtered bigint,
  in_duplicate bigint,
  in_deleted bigint
) returns boolean
language plpgsql volatile
set search_path = pg_catalog
set enable_seqscan = off
as $$
-- Moves an entity's checkpoint over one page and what came before it, and counts them; called in the page's transaction after hold_job.
-- in_ended: the page was the pass's last; the watermark moves and the cursor goes (invariants 3, 4).
-- in_pass_number, in_page_number: the first page of a pass must follow the pass before it, a later one the page before it,
-- so that no copy of a page counts twice, however late it comes.
-- in_wish: the last wish that the pass knew of; a later one stays asked for.
-- in_page_count: the pages this covers, in_page_number the last of them; those before it changed nothing.
-- A refusal of the position before is over with the page: the next one is another position.
-- in_is_whole: every record of the pass so far could be read; in_validator, in_probe: kept at the pass's end.
-- Returns true. Raises JR002 when a reset or another page came between, which undoes the page.
begin
  -- Nearly always the row is there, so that its update is tried first.
  for v_attempt in 1..2 loop
    update jobrunner.checkpoints as k
    set wish_begun = case
        when in_pass_kind = 'full' and in_page_number = in_page_count then greatest(k.wish_begun, in_wish)
        else k.wish_begun
      end,
      wish_ended = case
        when in_pass_kind = 'full' and in_ended then greatest(k.wish_ended, in_wish)
        else k.wish_ended
      end,
      pass_number = in_pass_number,
      pass_kind = case when not in_ended then in_pass_kind end,
      pass_started_at = case when not in_ended then in_pass_started_at end,
      pass_since = case when not in_ended then in_pass_since end,
      pass_is_whole = in_ended or in_is_whole,
      page_number = in_page_number,
      cursor = case when not in_ended then in_cursor end,
      sync_token = in_sync_token,
      partial_watermark = case when not in_ended then in_partial_watermark end,
      watermark = case when in_ended then coalesce(in_watermark, k.watermark) else k.watermark end,
      last_synced_at = case when in_ended then now() else k.last_synced_at end,
      last_full_at = case when in_ended and in_pass_kind = 'full' then in_pass_started_at else k.last_full_at end,
      pass_validator = case when not in_ended then in_validator end,
      pass_probe = case when not in_ended then in_probe end,
      validator = case when in_ended then in_validator else k.validator end,
      probe = case when in_ended then in_probe else k.probe end,
      consecutive_failures = case when in_ended then 0 else k.consecutive_failures end,
      last_error_kind = case when k.last_error_kind <> 'cursor_refused' and not in_ended then k.last_error_kind end,
      last_error = case when k.last_error_kind <> 'cursor_refused' and not in_ended then k.last_error end,
      last_error_at = case when k.last_error_kind <> 'cursor_refused' and not in_ended then k.last_error_at end,
      run_fence = in_fence,
      run_page_count = case when k.run_fence = in_fence then k.run_page_count else 0 end + in_page_count,
      run_fetched_count = case when k.run_fence = in_fence then k.run_fetched_count else 0 end + in_fetched,
      run_inserted_count = case when k.run_fence = in_fence then k.run_inserted_count else 0 end + in_inserted,
      run_updated_count = case when k.run_fence = in_fence then k.run_updated_count else 0 end + in_updated,
      run_unchanged_count = case when k.run_fence = in_fence then k.run_unchanged_count else 0 end + in_unchanged,
      run_skipped_older_count =
        case when k.run_fence = in_fence then k.run_skipped_older_count else 0 end + in_skipped_older,
      run_skipped_incompatible_count =
        case when k.run_fence = in_fence then k.run_skipped_incompatible_count else 0 end + in_skipped_incompatible,
      run_filtered_count = case when k.run_fence = in_fence then k.run_filtered_count else 0 end + in_filtered,
      run_duplicate_count = case when k.run_fence = in_fence then k.run_duplicate_count else 0 end + in_duplicate,
      run_deleted_count = case when k.run_fence = in_fence then k.run_deleted_count else 0 end + in_deleted,
      run_swept_count = case when k.run_fence = in_fence then k.run_swept_count else 0 end,
      run_pushed_count = case when k.run_fence = in_fence then k.run_pushed_count else 0 end,
      run_push_failed_count = case when k.run_fence = in_fence then k.run_push_failed_count else 0 end
    where k.user_id = in_user_id and k.job_name = in_name and k.entity = in_entity
      and k.generation = in_generation
      and case
        when in_page_number = in_page_count then k.pass_number = in_pass_number - 1
        else k.pass_number = in_pass_number and k.page_number = in_page_number - in_page_count
      end;
    if found then
      return true;
    end if;
    insert into jobrunner.checkpoints as k (user_id, job_name, entity, tenant_id)
    select in_user_id, in_name, in_entity, j.tenant_id
    from jobrunner.jobs as j
    where j.user_id = in_user_id and j.name = in_name
      and not exists (
        select from jobrunner.checkpoints as present
        where present.user_id = in_user_id and present.job_name = in_name and present.entity = in_entity
      );
    exit when not found;
  end loop;
  raise exception 'page % of entity % does not follow its checkpoint', in_page_number, in_entity
    using errcode = 'JR002', hint = 'The pass was reset, or the page is committed already.';
end
$$;
comment on function jobrunner.commit_page is
  'Moves an entity''s checkpoint over a page and those before it that changed nothing, and adds their counters, in the page''s own transaction.';
