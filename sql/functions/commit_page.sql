create or replace function jobrunner.commit_page(
  in_user_id bigint,
  in_name text,
  in_entity text,
  in_fence bigint,
  in_position jsonb,
  in_page_count integer,
  in_is_end boolean,
  in_counters jobrunner.counters
) returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
-- Moves an entity's checkpoint over a page and the pages before it that changed nothing, and counts them; called in the
-- page's transaction after hold_job. Records and the checkpoint that covers them commit together; the watermark moves
-- at the end of a pass (invariants 3, 4). A refusal of the position before is over with the page: the next one is
-- another position. in_position: where the pass stands after the page, by the names of the columns; pass_started_us in
-- microseconds since 1970. in_page_count: how many pages are committed with it; those before it changed nothing.
-- A page must follow the page before it, and the first one the pass before it, so that no copy counts twice, however
-- late it comes.
-- Returns true. Raises JR002 when a reset or another page came between, which undoes the page.
declare
  v_page jobrunner.checkpoints not null := jsonb_populate_record(null::jobrunner.checkpoints, in_position);
  v_started_at constant timestamptz := to_timestamp((in_position ->> 'pass_started_us')::bigint / 1000000.0);
begin
  -- Nearly always the row is there, so that its update is tried first.
  for v_attempt in 1..2 loop
    update jobrunner.checkpoints as k
    set full_begun = case
        when v_page.pass_kind = 'full' and v_page.page_number = in_page_count
          then greatest(k.full_begun, v_page.full_asked)
        else k.full_begun
      end,
      full_ended = case
        when v_page.pass_kind = 'full' and in_is_end then greatest(k.full_ended, v_page.full_asked)
        else k.full_ended
      end,
      pass_number = v_page.pass_number,
      pass_kind = case when not in_is_end then v_page.pass_kind end,
      pass_started_at = case when not in_is_end then v_started_at end,
      pass_since = case when not in_is_end then v_page.pass_since end,
      pass_is_whole = in_is_end or v_page.pass_is_whole,
      pass_proves_absence = in_is_end or v_page.pass_proves_absence,
      pass_unreadable = v_page.pass_unreadable and not in_is_end,
      page_number = v_page.page_number,
      cursor = case when not in_is_end then v_page.cursor end,
      sync_token = v_page.sync_token,
      partial_watermark = case when not in_is_end then v_page.partial_watermark end,
      -- What was kept for another question is worth nothing from this pass on, also where it is given up.
      watermark = case
        when not in_is_end and k.asked <> v_page.asked then null
        when not in_is_end then k.watermark
        when v_page.pass_kind = 'full' then v_page.watermark
        else coalesce(v_page.watermark, k.watermark)
      end,
      last_synced_at = case when in_is_end then now() else k.last_synced_at end,
      last_full_at = case when in_is_end and v_page.pass_kind = 'full' then v_started_at else k.last_full_at end,
      full_by_other_file = case
        when in_is_end and v_page.pass_kind = 'full' then jobrunner.has_other_file(in_user_id, in_name)
          else k.full_by_other_file
      end,
      pass_probe = case when not in_is_end then v_page.pass_probe end,
      validator = case when in_is_end then v_page.validator when k.asked <> v_page.asked then null else k.validator end,
      probe = case when in_is_end then v_page.pass_probe when k.asked <> v_page.asked then null else k.probe end,
      asked = v_page.asked,
      full_page = greatest(k.full_page, v_page.full_page),
      consecutive_failures = case when in_is_end then 0 else k.consecutive_failures end,
      last_error_kind = case when k.last_error_kind <> 'cursor_refused' and not in_is_end then k.last_error_kind end,
      last_error = case when k.last_error_kind <> 'cursor_refused' and not in_is_end then k.last_error end,
      last_error_at = case when k.last_error_kind <> 'cursor_refused' and not in_is_end then k.last_error_at end,
      skipped_since = null,
      skip_reason = null,
      run_fence = in_fence,
      counters = jobrunner.counted_on(k, in_fence, in_counters)
    where k.user_id = in_user_id and k.job_name = in_name and k.entity = in_entity
      and k.generation = v_page.generation
      and case
        when v_page.page_number = in_page_count then k.pass_number = v_page.pass_number - 1
        else k.pass_number = v_page.pass_number and k.page_number = v_page.page_number - in_page_count
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
  raise exception 'page % of entity % does not follow its checkpoint', v_page.page_number, in_entity
    using errcode = 'JR002', hint = 'The pass was reset, or the page is committed already.';
end
$$;
comment on function jobrunner.commit_page is
  'Moves an entity''s checkpoint over a page and those before it that changed nothing, and adds their counters, in the page''s own transaction.';
