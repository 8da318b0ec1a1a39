create or replace function jobrunner.claim_jobs(
  in_worker_id integer,
  in_limit integer,
  in_names text[]
) returns table (
  tenant_id bigint,
  tenant_name text,
  user_id bigint,
  user_key text,
  name text,
  fence bigint,
  nonce uuid,
  scheduled_at timestamptz,
  claimed_at timestamptz,
  deadline_ms bigint,
  asked boolean,
  forced boolean,
  entity text,
  last_success_at timestamptz,
  attributes jsonb,
  checkpoints jsonb,
  calls jsonb,
  secrets jsonb
)
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Claims up to in_limit due jobs of the named job files, fair between tenants by weight and by what they
-- hold already; nothing due: no rows. Raises JR003 when the worker has been given up.
-- Locks: a tenant's advisory lock while its max_running is counted (in id order), jobs by skip locked.
-- The slots are shared out in rounds: a tenant with less due than its share leaves the rest to the next round.
#variable_conflict use_column
declare
  v_left integer := in_limit;
  v_tenants bigint[];
  v_capped boolean[];
  v_shares integer[];
  v_room integer;
  v_taken integer;
  v_full bigint[];
  v_round_taken integer;
begin
  perform from jobrunner.workers where id = in_worker_id and ended_at is null and draining_at is null;
  if not found then
    raise exception 'worker % has ended or drains', in_worker_id using errcode = 'JR003';
  end if;

  for v_round in 1..4 loop
    exit when v_left <= 0;
    -- Who has something due, and how many of the free slots are its share.
    with held as (
      select j.tenant_id, count(*)::integer as running
      from jobrunner.jobs as j
      where j.worker_id is not null
      group by j.tenant_id
    ), wanting as (
      select t.id, t.weight, t.max_running, coalesce(h.running, 0) as running
      from jobrunner.tenants as t
      left join held as h on h.tenant_id = t.id
      where t.paused_at is null
        and (t.max_running is null or coalesce(h.running, 0) < t.max_running)
        and (v_full is null or t.id = any (v_full))
        and exists (
          select from jobrunner.jobs as j
          where j.tenant_id = t.id and j.state = 'waiting' and j.priority in (0, 1)
            and j.due_at <= now() and j.name = any (in_names)
        )
    ), level as (
      select jobrunner.waterline(array_agg(w.weight), array_agg(w.running), v_left) as height
      from wanting as w
    ), shared as (
      select w.id, w.max_running is not null as capped,
        least(v_left, w.max_running - w.running, ceil(l.height * w.weight - w.running))::integer as share,
        (w.running + 1)::double precision / w.weight as rank
      from wanting as w
      cross join level as l
    )
    select array_agg(s.id order by s.id), array_agg(s.capped order by s.id), array_agg(s.share order by s.id)
    into v_tenants, v_capped, v_shares
    from (select * from shared where share > 0 order by rank limit v_left) as s;
    exit when v_tenants is null;

    v_full := '{}';
    v_round_taken := 0;
    for i in 1..cardinality(v_tenants) loop
      exit when v_left <= 0;
      v_room := least(v_shares[i], v_left);
      if v_capped[i] then
        -- Counted again under the lock: another worker may have claimed since (max_running is never exceeded).
        perform pg_advisory_xact_lock(1246907731, v_tenants[i]::integer);
        select least(v_room, t.max_running - (
            select count(*) from jobrunner.jobs as j where j.tenant_id = t.id and j.worker_id is not null
          ))
        into v_room
        from jobrunner.tenants as t where t.id = v_tenants[i];
      end if;
      continue when coalesce(v_room, 0) <= 0;
      return query
        select * from jobrunner.claim_of_tenant(in_worker_id, v_tenants[i], v_room, in_names);
      get diagnostics v_taken = row_count;
      v_left := v_left - v_taken;
      v_round_taken := v_round_taken + v_taken;
      if v_taken = v_shares[i] then
        v_full := v_full || v_tenants[i];
      end if;
    end loop;
    exit when v_round_taken = 0 or v_full = '{}';
  end loop;
end
$$;
comment on function jobrunner.claim_jobs is
  'Gives a worker up to in_limit due jobs with fence and nonce drawn, and all that their runs need to begin.';
