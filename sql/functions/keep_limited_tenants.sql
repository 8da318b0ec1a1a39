create or replace function jobrunner.keep_limited_tenants() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Keeps limited_tenants: a tenant with max_running that had no row there would never get a turn. Only a tenant that had
-- no limit meets it: another number, or none any more, touches nothing that a claim needs, however long its transaction
-- stays open. What is left here of a tenant without a limit is read by nobody, and settled anew with its next one.
begin
  -- A tenant that is just inserted runs nothing, so that its limit need not be settled.
  insert into jobrunner.limited_tenants as l (tenant_id, is_settled) values (new.id, tg_op = 'INSERT')
  on conflict (tenant_id) do update set since = now(), is_settled = false;
  return null;
end
$$;
comment on function jobrunner.keep_limited_tenants is 'Keeps a row in limited_tenants for each tenant with max_running.';
create or replace trigger a_tenant_made_with_a_limit_has_a_turn
after insert on jobrunner.tenants
for each row when (new.max_running is not null) execute function jobrunner.keep_limited_tenants();
create or replace trigger a_limited_tenant_has_a_turn
after update of max_running on jobrunner.tenants
for each row when (old.max_running is null
  and new.max_running is not null) execute function jobrunner.keep_limited_tenants();
