create or replace function jobrunner.nothing_due(
  in_since timestamptz,
  in_since_user_id bigint
) returns table (
  looked_at timestamptz
)
language sql stable
as $$
-- The look of a worker that expects nothing: the time, if no job waits that became due after (in_since, in_since_user_id), and none
-- that may have killed two workers; else no row, and claim_jobs tells. Reads one entry of each index, and is written into the
-- caller's plan. Not by exists: that drops the order, without which the planner may prefer to read the table.
select now()
where (
    select j.user_id
    from jobrunner.jobs as j
    where (j.claimable_at, j.user_id) > (in_since, in_since_user_id) and j.claimable_at <= now() and j.state = 'waiting'
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
comment on function jobrunner.nothing_due is 'The time, if nothing became due since another; else no row.';
