create or replace function jobrunner.remove_tenant(
  in_name text
) returns jsonb
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Removes a tenant with its users and all rows that are theirs. Returns a receipt, counted by the deletes themselves:
-- {tenant, removed_at, users, secrets, jobs, checkpoints, runs, events, rows: {table: count}}. Raises JR010.
declare
  v_tenant jobrunner.tenants := jobrunner.tenant_named(in_name);
  v_users bigint[];
  v_count integer;
  v_secrets bigint;
  v_removed jsonb;
begin
  -- Who gives it another key meanwhile waits, and finds it gone.
  perform from jobrunner.tenants as t where t.id = v_tenant.id for update;
  delete from jobrunner.secrets where tenant_id = v_tenant.id;
  get diagnostics v_secrets = row_count;
  delete from jobrunner.renewals where tenant_id = v_tenant.id;
  -- Without its key, what backups hold of its secrets opens no more, where the key was kept outside.
  with gone as (delete from jobrunner.tenant_keys where tenant_id = v_tenant.id returning id, wrapped)
  insert into jobrunner.key_removals (id) select g.id from gone as g where g.wrapped is null
  on conflict do nothing;
  select coalesce(array_agg(u.id), '{}'), count(*) filter (where not u.stands_for_tenant) into v_users, v_count
  from jobrunner.users as u where u.tenant_id = v_tenant.id;
  v_removed := jsonb_build_object('users', v_count) || jobrunner.remove_users(v_users)
    || jsonb_build_object('secrets', v_secrets);
  -- Its users' changes are nobody's to read any more.
  delete from jobrunner.changes where tenant_id = v_tenant.id;
  delete from jobrunner.change_turns where tenant_id = v_tenant.id;
  delete from jobrunner.change_floors where tenant_id = v_tenant.id;
  delete from jobrunner.tenant_jobs where tenant_id = v_tenant.id;
  delete from jobrunner.waiting_counts where tenant_id = v_tenant.id;
  delete from jobrunner.sources where tenant_id = v_tenant.id;
  delete from jobrunner.tenants where id = v_tenant.id;
  perform jobrunner.note_act('remove_tenant', in_name, v_removed, in_tenant_id => v_tenant.id);
  return jsonb_build_object('tenant', in_name, 'removed_at', now()) || v_removed;
end
$$;
comment on function jobrunner.remove_tenant is 'Removes a tenant and everything that is its own, with a receipt.';
