create or replace function jobrunner.count_waiting(
  in_most integer default 10000,
  in_anew boolean default false
) returns boolean
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
-- Counts what is due or would be and does not run, by the first reason in its way: once a minute, by whichever worker
-- comes first; in_anew: also before it is time, for a person who asks. Returns false when it is not time. The counts
-- are in waiting_counts until the next time. Of each of four sorts it looks at no more than in_most jobs: what is due,
-- is parked, is deferred, and is in trouble. A reason of which there may be more is marked as such. Per tenant it keeps
-- the ten that have most of a reason.
declare
  worst constant integer := 10;
begin
  if jobrunner.take_chore('waiting', case when in_anew then '0' else '1 minute' end::interval) is null then
    return false;
  end if;

  with alive as materialized (
    -- Who is dead is so before anybody has said it.
    select w.job_names
    from jobrunner.workers as w
    where w.ended_at is null and jobrunner.is_alive(w)
  ), due as materialized (
    select j.tenant_id, j.name, j.state, j.claimable_at as since, j.crashes >= 2 as is_suspect
    from jobrunner.jobs as j
    where j.claimable_at <= now()
    order by j.claimable_at, j.user_id
    limit in_most
  ), parked as materialized (
    select j.tenant_id, j.state, coalesce(j.paused_at, j.quarantined_at, j.reauth_needed_at) as since
    from jobrunner.jobs as j
    where j.claimable_at = 'infinity'
    order by j.claimable_at, j.user_id
    limit in_most
  ), put_off as materialized (
    select j.tenant_id, coalesce(j.last_run_at, j.last_error_at) as since, j.last_error_kind,
      j.state = 'waiting' and j.due_at > now() as is_put_off
    from jobrunner.jobs as j
    where j.deferred_until > now()
    order by j.deferred_until desc
    limit in_most
  ), troubled as materialized (
    select j.tenant_id, j.last_error_at as since, j.last_error_kind,
      j.consecutive_failures > 0 and j.state = 'waiting' and j.due_at > now()
        and coalesce(j.deferred_until <= now(), true) as backs_off
    from jobrunner.jobs as j
    where j.consecutive_failures > 0 or j.quarantined_at is not null or j.reauth_needed_at is not null
      or j.stalled_runs > 1
      or j.deferrals > 4 or j.fruitless_runs > 1
    -- Those that merely fail, and so back off, stand at the index's end.
    order by (j.consecutive_failures > 0 and j.quarantined_at is null and j.reauth_needed_at is null) desc,
      j.user_id desc, j.name desc
    limit in_most
  ), due_of_job as (
    select d.tenant_id, d.name, d.is_suspect, count(*) as jobs, min(d.since) as since
    from due as d
    where d.state = 'waiting'
    group by d.tenant_id, d.name, d.is_suspect
  ), reasons as (
    select d.tenant_id, d.jobs, d.since,
      case
        when t.paused_at is not null then 'paused'
        when not exists (select from alive as a) then 'no_worker'
        when not exists (select from alive as a where coalesce(d.name = any (a.job_names), true))
          then 'job_file_missing'
        when s.blocked_until > now() then 'breaker'
        -- Asked of those with a limit only: it costs more than all the rest.
        when case when t.max_running is not null then t.max_running <= jobrunner.running_of_tenant(t.id) end
          then 'tenant_limit'
        when f.per_second is not null
          and s.tokens + greatest(extract(epoch from now() - s.refilled_at), 0) * f.per_second < 1 then 'budget'
        when d.is_suspect then 'suspect'
        else 'slots'
      end as reason
    from due_of_job as d
    join jobrunner.tenants as t on t.id = d.tenant_id
    join jobrunner.job_files as f on f.name = d.name
    left join jobrunner.sources as s on s.tenant_id = d.tenant_id and s.name = f.source
    union all
    select p.tenant_id, count(*), min(p.since),
      case p.state when 'needs_reauth' then 'credential' else p.state end
    from parked as p
    where p.state <> 'running'
    group by p.tenant_id, p.state
    union all
    select p.tenant_id, count(*), min(p.since),
      case p.last_error_kind when 'database' then 'database' when 'breaker_open' then 'breaker' when 'no_key' then 'key'
        when 'credential_in_use' then 'turn' when 'crowded' then 'turn' else 'deferred' end
    from put_off as p
    where p.is_put_off
    group by p.tenant_id, 4
    union all
    select b.tenant_id, count(*), min(b.since), case b.last_error_kind when 'database' then 'database'
      else 'backoff' end
    from troubled as b
    where b.backs_off
    group by b.tenant_id, 4
  ), cut as (
    select (select count(*) from due) = in_most as due, (select count(*) from parked) = in_most as parked,
      (select count(*) from put_off) = in_most or (select count(*) from troubled) = in_most as put_off
  ), of_tenant as (
    select r.reason, r.tenant_id, sum(r.jobs)::bigint as jobs, min(r.since) as since,
      row_number() over (partition by r.reason order by sum(r.jobs) desc, min(r.since), r.tenant_id) as place
    from reasons as r
    group by r.reason, r.tenant_id
  ), counted as (
    select o.reason, 0 as tenant_id, sum(o.jobs)::bigint as jobs, min(o.since) as since
    from of_tenant as o
    group by o.reason
    union all
    select o.reason, o.tenant_id, o.jobs, o.since from of_tenant as o where o.place <= worst
  ), gone as (
    delete from jobrunner.waiting_counts as w
    where not exists (select from counted as c where c.reason = w.reason and c.tenant_id = w.tenant_id)
  )
  insert into jobrunner.waiting_counts as w (reason, tenant_id, jobs, since, may_be_more)
  select c.reason, c.tenant_id, c.jobs, c.since,
    case
      when c.reason in ('credential', 'quarantined') then k.parked
      when c.reason = 'paused' then k.parked or k.due
      when c.reason in ('deferred', 'backoff', 'database', 'key', 'turn') then k.put_off
      when c.reason = 'breaker' then k.put_off or k.due
      else k.due
    end
  from counted as c
  cross join cut as k
  on conflict (reason, tenant_id) do update
  set jobs = excluded.jobs, since = excluded.since, may_be_more = excluded.may_be_more
  where (w.jobs, w.since, w.may_be_more) is distinct from (excluded.jobs, excluded.since, excluded.may_be_more);

  perform jobrunner.count_troubles(in_most);
  perform jobrunner.count_causes(in_most);
  perform jobrunner.count_swept();
  perform jobrunner.count_history();
  return true;
end
$$;
comment on function jobrunner.count_waiting is 'Counts once a minute what waits, by reason.';
