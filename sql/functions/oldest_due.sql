create or replace function jobrunner.oldest_due(
  in_names text[],
  in_before timestamptz
) returns timestamptz
language plpgsql stable
set search_path = pg_catalog
as $$
-- When the oldest job that waits to be claimed was due, if before in_before; null: none. What a claim from in_before on
-- would miss: a job whose due_at a long transaction wrote, or that was locked when its time came.
-- Walks what the claims leave alone, so it is for now and then.
declare
  v_oldest timestamptz;
begin
  select min(oldest.due_at) into v_oldest
  from jobrunner.tenants as t
  cross join lateral (
    select j.due_at
    from jobrunner.jobs as j
    where j.tenant_id = t.id and j.due_at < least(in_before, now()) and j.state = 'waiting' and j.name = any (in_names)
    order by j.due_at
    limit 1
  ) as oldest
  where t.paused_at is null
    and (
      t.max_running is null
      or t.max_running > (select count(*) from jobrunner.jobs as j where j.limited_tenant_id = t.id)
    );
  return v_oldest;
end
$$;
comment on function jobrunner.oldest_due is 'The due_at of the oldest waiting job that is due, if it is older than a claim would look.';
