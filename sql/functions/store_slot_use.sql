create or replace function jobrunner.store_slot_use(
  in_worker_id integer,
  in_tenant_ids bigint[],
  in_slot_ms bigint[],
  in_other_ms bigint
) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Notes how long tenants held a worker's slots in the last five minutes; nothing for a worker that was given up.
begin
  insert into jobrunner.slot_use as s (worker_id, tenant_ids, slot_ms, other_ms)
  select w.id, in_tenant_ids, in_slot_ms, in_other_ms
  from jobrunner.workers as w
  where w.id = in_worker_id and w.ended_at is null
  on conflict (worker_id) do update
  set noted_at = now(), tenant_ids = excluded.tenant_ids, slot_ms = excluded.slot_ms, other_ms = excluded.other_ms;
end
$$;
comment on function jobrunner.store_slot_use is 'Notes what tenants had of a worker''s slots.';
