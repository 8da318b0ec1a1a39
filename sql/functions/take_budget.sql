create or replace function jobrunner.take_budget(
  in_tenant_id bigint,
  in_source text,
  in_wanted integer,
  in_waits boolean default true
) returns table (
  tenant_id bigint,
  source text,
  base text,
  granted integer,
  blocked_ms bigint
)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set jit = off
as $$
-- Takes up to in_wanted requests out of a tenant's budget for a source; one row always.
-- The bucket holds at most one second's worth and refills all the time: all workers together keep the rate, but the
-- first second after a quiet one may see twice as much.
-- An open breaker grants nothing and says how long; when that is over, one request is let through to probe: a row with
-- both, granted 1 for one run and blocked_ms for all others. The next is let through 10 s later, or when that run has
-- reported. Without in_waits it grants nothing while another transaction holds the source.
-- in_source may be id@host, of a host that a user chose. Such a source has a row only once it needs one, and where the
-- tenant has an address of its own, the source of that name is asked instead, and stands in the answer.
#variable_conflict use_column
declare
  v_source jobrunner.sources;
  v_per_second double precision;
  v_id constant text := split_part(in_source, '@', 1);
begin
  if v_id <> in_source and exists (
    select from jobrunner.sources as s where s.tenant_id = in_tenant_id and s.name = v_id and s.base is not null
  ) then
    in_source := v_id;
  end if;
  select min(f.per_second) into v_per_second from jobrunner.job_files as f where f.source = v_id;
  select s.* into v_source from jobrunner.sources as s
  where s.tenant_id = in_tenant_id and s.name = in_source;
  if not found and v_id <> in_source and v_per_second is null then
    return query select in_tenant_id, in_source, null::text, in_wanted, 0::bigint;
    return;
  end if;
  if not found then
    insert into jobrunner.sources as s (tenant_id, name, tokens)
    values (in_tenant_id, in_source, coalesce(v_per_second, 0))
    on conflict do nothing;
  end if;

  if v_source.blocked_until > now() then
    return query select in_tenant_id, in_source, v_source.base, 0,
      greatest(ceil(extract(epoch from v_source.blocked_until - now()) * 1000), 1)::bigint;
    return;
  end if;
  if v_source.blocked_until is null and v_per_second is null then
    return query select in_tenant_id, in_source, v_source.base, in_wanted, 0::bigint;
    return;
  end if;
  if not in_waits then
    perform from jobrunner.sources as s where s.tenant_id = in_tenant_id and s.name = in_source for update skip locked;
    if not found then
      -- Who holds one that was blocked may be about to probe it.
      return query select in_tenant_id, in_source, v_source.base, 0, case when v_source.blocked_until is null then 0
        else 10000 end::bigint;
      return;
    end if;
  end if;
  if v_source.blocked_until is not null then
    -- The probe: whoever moves the block on first asks; everyone else waits for what it finds.
    update jobrunner.sources as s set blocked_until = now() + interval '10 seconds'
    where s.tenant_id = in_tenant_id and s.name = in_source and s.blocked_until <= now();
    if found then
      return query select in_tenant_id, in_source, v_source.base, 1, 10000::bigint;
    else
      return query select in_tenant_id, in_source, v_source.base, 0, 10000::bigint;
    end if;
    return;
  end if;

  return query
    with bucket as (
      select s.name, least(
        greatest(v_per_second, 1),
        s.tokens + greatest(extract(epoch from clock_timestamp() - s.refilled_at), 0) * v_per_second
      ) as tokens
      from jobrunner.sources as s
      where s.tenant_id = in_tenant_id and s.name = in_source
      for update
    )
    update jobrunner.sources as s
    set tokens = b.tokens - least(floor(b.tokens), in_wanted), refilled_at = clock_timestamp()
    from bucket as b
    where s.tenant_id = in_tenant_id and s.name = in_source
    returning in_tenant_id, in_source, s.base, least(floor(b.tokens), in_wanted)::integer, 0::bigint;
  if not found then
    -- A host that nobody had asked for a day was forgotten at this moment: the next look makes it anew.
    return query select in_tenant_id, in_source, null::text, 0, 0::bigint;
  end if;
end
$$;
comment on function jobrunner.take_budget is
  'Takes requests out of a tenant''s budget for a source, and tells an open breaker.';
