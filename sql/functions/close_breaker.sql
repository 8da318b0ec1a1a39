create or replace function jobrunner.close_breaker(
  in_tenant text,
  in_source text
) returns integer
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Closes the breaker of a tenant's source, whatever it has counted, and makes the jobs due that were put off by it; of
-- a source whose host users choose those of all its hosts, and of id@host that one's. Returns how many jobs. Closed
-- already: nothing but such jobs. Ten more runs that find the source away open it again. Raises JR010, or JR015 for a
-- source that no job of the tenant uses. Locks the source before the jobs, these in key order.
declare
  v_source jobrunner.sources := jobrunner.source_named(in_tenant, in_source);
  v_count integer;
begin
  update jobrunner.sources as s
  set consecutive_failures = 0, opened_at = null, failed_openings = 0, blocked_until = null, block_reason = null
  where s.tenant_id = v_source.tenant_id and v_source.name in (s.name, split_part(s.name, '@', 1))
    and (s.consecutive_failures > 0 or s.blocked_until is not null);
  update jobrunner.jobs as j
  set due_at = now(), deferred_until = null
  from (
    select j.user_id, j.name
    from jobrunner.jobs as j
    join jobrunner.job_files as f on f.name = j.name and f.source = split_part(v_source.name, '@', 1)
    where j.tenant_id = v_source.tenant_id and j.deferred_until > now() and j.last_error_kind = 'breaker_open'
      and j.worker_id is null and j.due_at > now()
    order by j.user_id, j.name
    for no key update of j
  ) as held
  where j.user_id = held.user_id and j.name = held.name;
  get diagnostics v_count = row_count;
  if v_count > 0 then
    perform jobrunner.wake_workers(now(), in_jobs => v_count);
  end if;
  perform jobrunner.note_act('close_breaker', v_source.name, jsonb_build_object('jobs', v_count), in_tenant_id => v_source.tenant_id);
  return v_count;
end
$$;
comment on function jobrunner.close_breaker is 'Closes the breaker of a source, so that it is asked now.';
