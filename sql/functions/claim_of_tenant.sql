create or replace function jobrunner.claim_of_tenant(
  in_worker_id integer,
  in_tenant_id bigint,
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
-- Claims one tenant's oldest due jobs, those asked for first; nothing due: no rows.
-- The picks are materialised: a plan that ran the locking sub-select twice would claim too many.
-- A claim moves due_at to the next tick, so that a crash can't lose it (ST21).
-- A checkpoint is done where the run goes on after one of the same tick that was interrupted behind it (ST7).
#variable_conflict use_column
declare
  v_left integer := in_limit;
  v_taken integer;
begin
  for v_priority in reverse 1..0 loop
    exit when v_left <= 0;
    return query
      with picked as materialized (
        select j.user_id, j.name, j.due_at, j.force_requested, j.entity_requested
        from jobrunner.jobs as j
        where j.tenant_id = in_tenant_id and j.state = 'waiting' and j.priority = v_priority
          and j.due_at <= now() and j.name = any (in_names)
        order by j.due_at
        limit v_left
        for no key update skip locked
      ), claimed as (
        update jobrunner.jobs as j
        set worker_id = in_worker_id,
          fence = nextval('jobrunner.fences'),
          nonce = gen_random_uuid(),
          scheduled_at = p.due_at,
          started_at = now(),
          deadline_at = now() + j.deadline,
          force_requested = false,
          entity_requested = null,
          untriggered_due_at = null,
          due_at = jobrunner.next_tick(now(), j.every, j.phase)
        from picked as p
        where j.user_id = p.user_id and j.name = p.name
        returning j.*, p.force_requested as had_force, p.entity_requested as had_entity
      )
      select c.tenant_id, t.name, c.user_id, u.key, c.name, c.fence, c.nonce, c.scheduled_at, c.started_at,
        (extract(epoch from c.deadline) * 1000)::bigint, c.priority = 1, c.had_force,
        c.had_entity, c.last_success_at, u.attributes,
        (
          select coalesce(jsonb_agg(to_jsonb(k)), '[]')
          from (
            select k.entity, k.generation, k.full_requested, k.pass_kind,
              (extract(epoch from k.pass_started_at) * 1000000)::bigint as pass_started_us,
              k.pass_since, k.page_number, k.cursor, k.sync_token, k.partial_watermark, k.watermark,
              k.pass_is_whole, k.validator, k.probe, k.pass_validator, k.pass_probe, k.repair_requested,
              greatest(extract(epoch from now() - k.last_synced_at) * 1000, 0)::bigint as synced_age_ms,
              greatest(extract(epoch from now() - k.last_full_at) * 1000, 0)::bigint as last_full_age_ms,
              c.priority = 0 and c.last_outcome <> 'complete'
                and k.pass_kind is null and not k.full_requested and not k.repair_requested
                and coalesce(k.last_full_at::text, k.watermark, k.sync_token) is not null
                and k.last_synced_at > coalesce(c.last_success_at, '-infinity')
                and k.last_synced_at >= c.due_at - c.every as done
            from jobrunner.checkpoints as k
            where k.user_id = c.user_id and k.job_name = c.name
          ) as k
        ),
        (
          select coalesce(jsonb_agg(to_jsonb(m)), '[]')
          from (
            select m.call, m.list_hash,
              case
                when isfinite(m.last_succeeded_at)
                then greatest(extract(epoch from now() - m.last_succeeded_at) * 1000, 0)::bigint
                else 10000000000000
              end as age_ms
            from jobrunner.call_memory as m
            where m.user_id = c.user_id and m.job_name = c.name
          ) as m
        ),
        (
          select coalesce(jsonb_agg(to_jsonb(s)), '[]')
          from (
            select s.user_id, s.name, encode(s.sealed, 'hex') as sealed
            from jobrunner.secrets as s
            where s.tenant_id = c.tenant_id and s.user_id in (0, c.user_id)
          ) as s
        )
      from claimed as c
      join jobrunner.users as u on u.id = c.user_id
      join jobrunner.tenants as t on t.id = c.tenant_id;
    get diagnostics v_taken = row_count;
    v_left := v_left - v_taken;
  end loop;
end
$$;
comment on function jobrunner.claim_of_tenant is
  'One tenant''s part of a claim. Not for callers: claim_jobs shares the slots out.';
