create or replace function jobrunner.own_writes(
  in_setting text
) returns text
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Says, with 'on', that the writes which follow are jobrunner's own: keep_edit takes none of them for an edit, and
-- request_full_after_removal has nothing read again for them. Returns what was said before, to be put back after them:
-- the rest of a caller's transaction is the caller's.
-- A function can't say it by a set clause: only a superuser may write a parameter of our own there. Not for callers:
-- verbs.
declare
  v_before text := coalesce(current_setting('jobrunner.own_writes', true), '');
begin
  perform set_config('jobrunner.own_writes', in_setting, true);
  return v_before;
end
$$;
comment on function jobrunner.own_writes is 'Says whose the writes are that follow. Not for callers: verbs.';
