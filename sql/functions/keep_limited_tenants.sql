create or replace function jobrunner.keep_limited_tenants() returns trigger
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Keeps limited_tenants: a tenant with max_running that had no row there would never get a turn. Whoever changes a limit waits
-- for the claim that has the tenant's turn.
begin
  if new.max_running is null then
    delete from jobrunner.limited_tenants as l where l.tenant_id = new.id;
    delete from jobrunner.limited_runs as l where l.tenant_id = new.id;
  else
    -- A tenant that is just inserted runs nothing, so that its limit need not be settled.
    insert into jobrunner.limited_tenants as l (tenant_id, is_settled) values (new.id, tg_op = 'INSERT')
    on conflict (tenant_id) do update set since = now();
  end if;
  return null;
end
$$;
comment on function jobrunner.keep_limited_tenants is 'Keeps a row in limited_tenants for each tenant with max_running.';
create or replace trigger a_limited_tenant_has_a_turn
after insert or update of max_running on jobrunner.tenants
for each row execute function jobrunner.keep_limited_tenants();
