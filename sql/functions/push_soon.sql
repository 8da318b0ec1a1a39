create or replace function jobrunner.push_soon(
  in_tenant text,
  in_user text,
  in_table text
) returns boolean
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Makes the job that pushes a table due when its push.debounce is over, once however many edits come; a job that
-- runs gets one more run. For those who write a user's rows, or the tenant's (user null or *), by plain SQL: called
-- before that, it locks the job first, as a page does. Returns whether that changed anything: not for a table without
-- debounce, while the source asked for patience, or while a backoff runs. Raises JR010, JR011.
begin
  return jobrunner.hasten_push((jobrunner.user_named(in_tenant, coalesce(in_user, '*'))).id, in_table);
end
$$;
comment on function jobrunner.push_soon is 'Makes the job that sends a table''s edits due soon, where its file says so.';
