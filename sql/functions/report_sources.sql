create or replace function jobrunner.report_sources(
  in_tenant_ids bigint[],
  in_names text[],
  in_started_at timestamptz[],
  in_reached boolean[],
  in_unavailable boolean[],
  in_hosts text[]
) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Feeds the breakers with how a batch of runs found its sources. Closed: ten runs in a row that found a source
-- unavailable, over all users, open its breaker for 5 s. Open: only runs that began since count, which are probes; one
-- that fails opens it again, for twice as long, up to 5 min; one that reached the source closes it. Those that were
-- under way say only what is known. Touches no row while all is well. A source that somebody's transaction holds is
-- left out: the outcomes must not wait. in_hosts: the hosts that users chose, each with a breaker of its own; else
-- null.
declare
  v_asked record;
  v_source jobrunner.sources;
  v_reached boolean;
  v_failures integer;
begin
  -- Nearly always no source is in trouble, and one look tells.
  if true <> all (in_unavailable) and not exists (
    select from jobrunner.sources as s where s.consecutive_failures > 0 or s.blocked_until is not null
  ) then
    return;
  end if;
  -- A host has no row until it fails, but where it has a budget.
  if array_remove(in_hosts, null) <> '{}' then
    insert into jobrunner.sources (tenant_id, name, tokens)
    select e.tenant_id, f.source || '@' || e.host, coalesce(min(f.per_second), 0)
    from unnest(in_tenant_ids, in_names, in_unavailable, in_hosts) as e (tenant_id, name, unavailable, host)
    join jobrunner.job_files as f on f.name = e.name
    where e.unavailable and e.host is not null
    group by e.tenant_id, f.source, e.host
    order by e.tenant_id, f.source, e.host
    on conflict do nothing;
  end if;
  for v_asked in
    select e.tenant_id, s.name as source
    from unnest(in_tenant_ids, in_names, in_unavailable, in_hosts) as e (tenant_id, name, unavailable, host)
    join jobrunner.job_files as f on f.name = e.name
    join jobrunner.sources as s on s.tenant_id = e.tenant_id and s.name = f.source || coalesce('@' || e.host, '')
    where e.unavailable or s.consecutive_failures > 0 or s.blocked_until is not null
    group by e.tenant_id, s.name
    order by e.tenant_id, s.name
  loop
    select s.* into v_source
    from jobrunner.sources as s
    where s.tenant_id = v_asked.tenant_id and s.name = v_asked.source
    for no key update skip locked;
    continue when not found;
    -- With all well before, only a run that failed itself tells that the source was there for a while.
    select coalesce(bool_or(e.reached) filter (where e.unavailable or v_source.consecutive_failures > 0), false),
      count(*) filter (where e.unavailable)
    into v_reached, v_failures
    from unnest(in_tenant_ids, in_names, in_started_at, in_reached, in_unavailable, in_hosts)
      as e (tenant_id, name, started_at, reached, unavailable, host)
    join jobrunner.job_files as f on f.name = e.name
    where e.tenant_id = v_asked.tenant_id and f.source || coalesce('@' || e.host, '') = v_asked.source
      and (v_source.opened_at is null or e.started_at >= v_source.opened_at);
    if v_reached then
      update jobrunner.sources as s
      set consecutive_failures = 0, opened_at = null, failed_openings = 0, blocked_until = null, block_reason = null
      where s.tenant_id = v_asked.tenant_id and s.name = v_asked.source
        and (s.consecutive_failures > 0 or s.opened_at is not null);
    elsif v_failures > 0 then
      update jobrunner.sources as s
      set (consecutive_failures, opened_at, failed_openings, blocked_until, block_reason) = (
        select n.failures, case when n.opens then now() end, case when n.opens then n.openings else 0 end,
          case when n.opens then now() + least(interval '5 minutes',
            interval '5 seconds' * power(2, least(n.openings, 10) - 1)) end,
          case when n.opens then n.failures || ' runs in a row found it unavailable' end
        from (
          select v_source.consecutive_failures + v_failures as failures,
            v_source.failed_openings + 1 as openings,
            v_source.consecutive_failures + v_failures >= 10 as opens
        ) as n
      )
      where s.tenant_id = v_asked.tenant_id and s.name = v_asked.source;
    end if;
  end loop;
end
$$;
comment on function jobrunner.report_sources is 'Opens and closes the breakers of sources.';
