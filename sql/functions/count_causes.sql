create or replace function jobrunner.count_causes(
  in_most integer
) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
-- Counts the users that do not get on, or are put off since something is away, by tenant, source and kind of error: of
-- in_most causes at most. Goes from one cause to the next in an index that holds nothing of healthy jobs, so that none
-- hides behind another that many have. Of each it looks at as many jobs as make ten times in_most together, and at a
-- hundred at least. An open breaker is told as the absence that opened it. A tenant has it as a whole when none of a
-- thousand of its jobs ended well.
-- Not for callers: count_waiting.
begin
  if not exists (select from jobrunner.cause_counts as t) and not exists (
    select from jobrunner.jobs as j
    where j.consecutive_failures > 0 or j.quarantined_at is not null or j.reauth_needed_at is not null
      or j.stalled_runs > 1
      or j.deferrals > 4 or j.last_error_kind in ('breaker_open', 'database', 'no_key')
  ) then
    return;
  end if;
  with recursive places as (
    (
      select j.tenant_id, j.name, coalesce(j.last_error_kind, '') as kind, 1 as place
      from jobrunner.jobs as j
      where j.consecutive_failures > 0 or j.quarantined_at is not null or j.reauth_needed_at is not null
        or j.stalled_runs > 1
        or j.deferrals > 4 or j.last_error_kind in ('breaker_open', 'database', 'no_key')
      order by j.tenant_id, j.name, coalesce(j.last_error_kind, '')
      limit 1
    )
    union all
    select n.tenant_id, n.name, n.kind, p.place + 1
    from places as p
    cross join lateral (
      select j.tenant_id, j.name, coalesce(j.last_error_kind, '') as kind
      from jobrunner.jobs as j
      where (
          j.consecutive_failures > 0 or j.quarantined_at is not null or j.reauth_needed_at is not null
          or j.stalled_runs > 1
          or j.deferrals > 4 or j.last_error_kind in ('breaker_open', 'database', 'no_key')
        ) and (j.tenant_id, j.name, coalesce(j.last_error_kind, '')) > (p.tenant_id, p.name, p.kind)
      order by j.tenant_id, j.name, coalesce(j.last_error_kind, '')
      limit 1
    ) as n
    where p.place < in_most
  ), jobs as (
    select p.tenant_id, p.name, f.source, l.user_id, l.since, l.number = b.most as is_last,
      case
        when l.is_quarantined then 'quarantined'
        when p.kind = 'breaker_open' then 'unavailable'
        when p.kind <> '' then p.kind
        else 'stalled'
      end as kind
    from places as p
    join jobrunner.job_files as f on f.name = p.name
    cross join (select greatest(100, 10 * in_most / greatest(1, count(*))) as most from places) as b
    cross join lateral (
      select j.user_id, j.quarantined_at is not null as is_quarantined,
        coalesce(j.quarantined_at, j.reauth_needed_at, j.last_error_at, j.last_run_at) as since,
        row_number() over () as number
      from jobrunner.jobs as j
      where (
          j.consecutive_failures > 0 or j.quarantined_at is not null or j.reauth_needed_at is not null
          or j.stalled_runs > 1
          or j.deferrals > 4 or j.last_error_kind in ('breaker_open', 'database', 'no_key')
        ) and j.tenant_id = p.tenant_id and j.name = p.name and coalesce(j.last_error_kind, '') = p.kind
      limit b.most
    ) as l
  ), counted as (
    select j.tenant_id, j.source, j.kind, count(distinct j.user_id) as users, bool_or(j.is_last) as may_be_more,
      min(j.since) as since, (array_agg(j.name order by j.since, j.user_id))[1] as name,
      (array_agg(j.user_id order by j.since, j.user_id))[1] as user_id
    from jobs as j
    group by j.tenant_id, j.source, j.kind
  ), judged as (
    select c.*, not exists (
        select from (
          select j.name, j.last_run_at, j.last_error_kind, j.stalled_runs
          from jobrunner.jobs as j
          where j.tenant_id = c.tenant_id
          order by j.tenant_id, j.priority, j.claimable_at, j.user_id
          limit 1000
        ) as j
        join jobrunner.job_files as f on f.name = j.name and f.source = c.source
        where j.last_run_at is not null and j.last_error_kind is null and j.stalled_runs < 2
      ) as is_whole
    from counted as c
  ), gone as (
    delete from jobrunner.cause_counts as t
    where not exists (
      select from judged as c where c.tenant_id = t.tenant_id and c.source = t.source and c.kind = t.error_kind
    )
  )
  insert into jobrunner.cause_counts as t
    (tenant_id, source, error_kind, users, may_be_more, is_whole, since, job_name, user_id)
  select c.tenant_id, c.source, c.kind, c.users, c.may_be_more, c.is_whole, c.since, c.name, c.user_id
  from judged as c
  on conflict (tenant_id, source, error_kind) do update
  set users = excluded.users, may_be_more = excluded.may_be_more, is_whole = excluded.is_whole,
    since = excluded.since, job_name = excluded.job_name, user_id = excluded.user_id
  where (t.users, t.may_be_more, t.is_whole, t.since, t.job_name, t.user_id) is distinct from (
    excluded.users, excluded.may_be_more, excluded.is_whole, excluded.since, excluded.job_name, excluded.user_id);
end
$$;
comment on function jobrunner.count_causes is 'Counts what keeps users from being synced. Not for callers: count_waiting.';
