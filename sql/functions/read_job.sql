create or replace function jobrunner.read_job(
  in_tenant text,
  in_user text,
  in_job text
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
language plpgsql stable
set search_path = pg_catalog
as $$
-- What a claim of this job would tell, without claiming it: a dry run begins from here and can prove nothing, for its
-- fence is 0. User null or *: the tenant's own. The columns are those of claim_of_tenant. Raises JR010, JR011, JR012.
#variable_conflict use_column
declare
  v_user jobrunner.users := jobrunner.user_named(in_tenant, coalesce(in_user, '*'));
begin
  return query
    select j.tenant_id, t.name, j.user_id, u.key, j.name, 0::bigint, '00000000-0000-0000-0000-000000000000'::uuid,
      j.due_at, now(), (extract(epoch from j.deadline) * 1000)::bigint, true, false, null::text, j.last_success_at,
      u.attributes,
      (
        select coalesce(jsonb_agg(to_jsonb(k)), '[]')
        from (
          select k.entity, k.generation, k.full_requested, k.pass_kind,
            (extract(epoch from k.pass_started_at) * 1000000)::bigint as pass_started_us,
            k.pass_since, k.page_number, k.cursor, k.sync_token, k.partial_watermark, k.watermark,
            k.pass_is_whole, k.validator, k.probe, k.pass_validator, k.pass_probe, k.repair_requested,
            greatest(extract(epoch from now() - k.last_synced_at) * 1000, 0)::bigint as synced_age_ms,
            greatest(extract(epoch from now() - k.last_full_at) * 1000, 0)::bigint as last_full_age_ms
          from jobrunner.checkpoints as k
          where k.user_id = j.user_id and k.job_name = j.name
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
          where m.user_id = j.user_id and m.job_name = j.name
        ) as m
      ),
      (
        select coalesce(jsonb_agg(to_jsonb(s)), '[]')
        from (
          select s.user_id, s.name, encode(s.sealed, 'hex') as sealed
          from jobrunner.secrets as s
          where s.tenant_id = j.tenant_id and s.user_id in (0, j.user_id)
        ) as s
      )
    from jobrunner.jobs as j
    join jobrunner.users as u on u.id = j.user_id
    join jobrunner.tenants as t on t.id = j.tenant_id
    where j.user_id = v_user.id and j.name = in_job;
  if not found then
    raise exception 'user ''%'' has no job ''%''', in_user, in_job using errcode = 'JR012';
  end if;
end
$$;
comment on function jobrunner.read_job is 'What a claim of a job would tell, without claiming it.';
