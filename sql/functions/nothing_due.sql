create or replace function jobrunner.nothing_due(
  in_since timestamptz,
  in_since_user_id bigint,
  in_grace interval
) returns table (
  looked_at timestamptz
)
language sql stable
as $$
-- The look of a worker that expects nothing: until when it looked, if no job waits that became due after (in_since, in_since_user_id),
-- and none that may have killed two workers; else no row, and claim_jobs tells. What became due in the last in_grace is left to
-- workers with less of it. Reads one entry of each index, and is written into the caller's plan. Not by exists: that drops the
-- order, without which the planner may prefer to read the table.
select now() - in_grace
where (
    select j.user_id
    from jobrunner.jobs as j
    where (j.claimable_at, j.user_id) > (in_since, in_since_user_id) and j.claimable_at <= now() - in_grace
      and j.state = 'waiting'
    order by j.claimable_at, j.user_id
    limit 1
  ) is null
  and (
    select j.user_id
    from jobrunner.jobs as j
    where j.crashes >= 2 and j.claimable_at <= now() and j.state = 'waiting'
    order by j.claimable_at
    limit 1
  ) is null
$$;
comment on function jobrunner.nothing_due is 'Until when nothing became due since another time; no row: something did.';
