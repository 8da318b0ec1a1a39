create or replace function jobrunner.parts_of(
  in_user_id bigint,
  in_name text,
  in_entity text
) returns table (
  entity text,
  rank integer
)
language sql stable
set search_path = pg_catalog, pg_temp
as $$
-- The checkpoints of an entity's items, in the order in which a run reads them: a pass in progress, then whoever was
-- read longest ago, then passes that do not end, then those that failed, so that none keeps the others from their turn.
-- rank: 0, 2, 3 and 4; 1 is an item's that has no checkpoint yet. Not for callers: runs.
select k.entity, r.rank
from jobrunner.checkpoints as k
join jobrunner.jobs as j on j.user_id = k.user_id and j.name = k.job_name
cross join lateral (
  select case
    when k.consecutive_failures > 0 then 4
    when k.pass_kind is null then 2
    when j.fruitless_runs >= 3 then 3
    else 0
  end as rank
) as r
where k.user_id = in_user_id and k.job_name = in_name and k.entity like replace(in_entity, '_', '\_') || '#%'
order by r.rank, k.last_synced_at nulls first, k.entity
$$;
comment on function jobrunner.parts_of is 'The checkpoints of an entity''s items, in the order of their turns. Not for callers: runs.';
