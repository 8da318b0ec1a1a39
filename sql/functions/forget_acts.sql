create or replace function jobrunner.forget_acts(
  in_keep interval default '400 days'
) returns bigint
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Deletes rows of audit that are older than in_keep, 10,000 at most; returns how many. Raises JR017 for less than 30
-- days: who wants to hide something must wait for it. Not for callers: maintain_runs.
declare
  v_count bigint;
begin
  if in_keep < interval '30 days' then
    raise exception 'what was done is kept for 30 days at least, not for %', in_keep using errcode = 'JR017';
  end if;
  delete from jobrunner.audit as a
  where a.id in (
    select o.id from jobrunner.audit as o where o.at < now() - in_keep order by o.at, o.id limit 10000
  );
  get diagnostics v_count = row_count;
  return v_count;
end
$$;
comment on function jobrunner.forget_acts is 'Deletes what was done long ago from audit. Not for callers: maintain_runs.';
