create or replace function jobrunner.remove_user(
  in_tenant text,
  in_key text
) returns jsonb
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Removes a user and all rows that are its own, the synced ones included. Returns a receipt, counted by the deletes
-- themselves: {tenant, user, removed_at, secrets, jobs, checkpoints, runs, events, rows: {table: count}}. It is nowhere
-- stored, since it has the user's key. Raises JR010, JR011; what stands for the tenant goes with the tenant.
declare
  v_user jobrunner.users := jobrunner.user_named(in_tenant, in_key);
  v_removed jsonb;
begin
  if v_user.stands_for_tenant then
    raise exception 'user key ''*'' stands for tenant ''%'' itself', in_tenant using errcode = 'JR011',
      hint = 'Remove the tenant, or take its job file away.';
  end if;
  v_removed := jobrunner.remove_users(array[v_user.id]);
  perform jobrunner.note_act('remove_user', null, v_removed, in_tenant_id => v_user.tenant_id, in_user_id => v_user.id);
  return jsonb_build_object('tenant', in_tenant, 'user', in_key, 'removed_at', now()) || v_removed;
end
$$;
comment on function jobrunner.remove_user is 'Removes a user and everything that is its own, with a receipt.';
