create or replace function jobrunner.send_again(
  in_user_id bigint,
  in_table text,
  in_change_tag text
) returns bigint
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Makes all rows of a user unsent, with no change tag of the source's: their zone was deleted there, and is made anew.
-- Returns how many were not so yet. Rows that wait for their deletion keep waiting. in_change_tag: the column, null
-- without one. In a transaction that begins with hold_job, before the zone is made, so that a run that dies in between
-- is made good.
-- Not for callers: runs.
declare
  v_count bigint;
begin
  execute format(
    'update synced.%1$I as t
    set synced = false, sent_hashes = null, push_error = null, push_pause = null%2$s
    where t.user_id = $1 and not t.pending_delete and (t.synced%3$s)',
    in_table, coalesce(format(', %I = null', in_change_tag), ''),
      coalesce(format(' or t.%I is not null', in_change_tag), ''))
  using in_user_id;
  get diagnostics v_count = row_count;
  return v_count;
end
$$;
comment on function jobrunner.send_again is 'Makes all rows of a user unsent, for the source has lost them. Not for callers: runs.';
