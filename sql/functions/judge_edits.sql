create or replace function jobrunner.judge_edits(
  in_user_id bigint,
  in_name text,
  in_entity text,
  in_table text
) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Notes the trouble of a user's edits that the source refuses one by one, or that it is over: quota_exceeded where the
-- user's own store is full there, edits_refused for all others. A conflict, or a record for which the source asks for
-- patience, is none. In a transaction that begins with hold_job. Not for callers: runs.
declare
  v_refused bigint;
  v_full bigint;
  v_example text;
begin
  execute format(
    'select count(*) filter (where not e.is_full), count(*) filter (where e.is_full), min(e.push_error) filter (where not e.is_full)
    from (
      select t.push_error, t.push_error like ''QUOTA_EXCEEDED%%'' as is_full
      from synced.%I as t
      where t.user_id = $1 and (not t.synced or t.pending_delete) and t.push_error is not null
        and t.push_error !~ ''^(CONFLICT|THROTTLED|TRY_AGAIN_LATER|ZONE_BUSY):''
    ) as e', in_table)
  into v_refused, v_full, v_example using in_user_id;
  perform jobrunner.set_trouble(in_user_id, in_name, in_entity, 'edits_refused',
    case when v_refused > 0 then format('the source refuses %s of the edits made here, such as %s', v_refused,
      v_example) end);
  perform jobrunner.set_trouble(in_user_id, in_name, in_entity, 'quota_exceeded',
    case when v_full > 0 then format('the user''s store at the source is full: %s edits made here wait until there is room', v_full) end);
end
$$;
comment on function jobrunner.judge_edits is 'Notes that the source refuses edits one by one, or that it is over. Not for callers: runs.';
