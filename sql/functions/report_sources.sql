create or replace function jobrunner.report_sources(
  in_tenant_ids bigint[],
  in_names text[],
  in_reached boolean[],
  in_unavailable boolean[]
) returns void
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Feeds the breakers with how a batch of runs found its sources. Ten runs in a row that found a source
-- unavailable, over all users, open its breaker for 5 s, doubling up to 5 min; one that reached it closes it.
-- Touches no row while all is well. A source that somebody's transaction holds is left out: the outcomes must not wait.
declare
  v_source record;
begin
  -- Nearly always no source is in trouble, and one look tells.
  if true <> all (in_unavailable) and not exists (
    select from jobrunner.sources as s where s.consecutive_failures > 0 or s.blocked_until is not null
  ) then
    return;
  end if;
  for v_source in
    select e.tenant_id, f.source,
      bool_or(case when s.consecutive_failures > 0 or s.blocked_until is not null then e.reached else e.reached_late end) as reached,
      sum(e.failures)::integer as failures
    from (
      select ended.tenant_id, ended.name, bool_or(ended.reached) as reached,
        bool_or(ended.reached) filter (where ended.unavailable) as reached_late,
        count(*) filter (where ended.unavailable) as failures
      from unnest(in_tenant_ids, in_names, in_reached, in_unavailable)
        as ended (tenant_id, name, reached, unavailable)
      group by ended.tenant_id, ended.name
    ) as e
    join jobrunner.job_files as f on f.name = e.name
    join jobrunner.sources as s on s.tenant_id = e.tenant_id and s.name = f.source
    where e.failures > 0 or s.consecutive_failures > 0 or s.blocked_until is not null
    group by e.tenant_id, f.source
    order by e.tenant_id, f.source
  loop
    perform from jobrunner.sources as s
    where s.tenant_id = v_source.tenant_id and s.name = v_source.source
    for no key update skip locked;
    continue when not found;
    if v_source.reached then
      update jobrunner.sources as s
      set consecutive_failures = 0, blocked_until = null, block_reason = null
      where s.tenant_id = v_source.tenant_id and s.name = v_source.source
        and (s.consecutive_failures > 0 or s.blocked_until is not null);
    elsif v_source.failures > 0 then
      update jobrunner.sources as s
      set consecutive_failures = s.consecutive_failures + v_source.failures,
        blocked_until = case
          when s.consecutive_failures + v_source.failures >= 10
            then now() + least(
              interval '5 minutes',
              interval '5 seconds' * power(2, least(s.consecutive_failures + v_source.failures - 10, 10))
            )
        end,
        block_reason = case
          when s.consecutive_failures + v_source.failures >= 10
            then s.consecutive_failures + v_source.failures || ' runs in a row found it unavailable'
        end
      where s.tenant_id = v_source.tenant_id and s.name = v_source.source;
    end if;
  end loop;
end
$$;
comment on function jobrunner.report_sources is 'Opens and closes the breakers of sources.';
