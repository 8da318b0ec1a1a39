create or replace function jobrunner.note_look(
  in_tenant text,
  in_user text,
  in_table text
) returns void
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Notes that somebody looks at a user's rows of a synced table. Raises JR010, JR011. Not for callers: look_at_rows.
declare
  v_user jobrunner.users := jobrunner.user_named(in_tenant, in_user);
begin
  perform jobrunner.note_act('look_at_rows', in_table, in_tenant_id => v_user.tenant_id, in_user_id => v_user.id);
end
$$;
comment on function jobrunner.note_look is 'Notes who looks at whose rows. Not for callers: look_at_rows.';
