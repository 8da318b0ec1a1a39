create or replace view jobrunner.tenant_overview as
select t.name as tenant, t.weight, t.max_running, t.paused_at, t.created_at, u.user_count, c.cause_count, c.is_urgent,
  c.stuck_count
from jobrunner.tenants as t
cross join lateral (
  select count(*) as user_count
  from (
    -- In the order of an index, so that it is read and not the table.
    select from jobrunner.users as u
    where u.tenant_id = t.id and not u.stands_for_tenant
    order by u.tenant_id, u.key
    limit 1001
  ) as u
) as u
cross join lateral (
  select count(*) as cause_count, coalesce(bool_or(k.is_urgent), false) as is_urgent,
    coalesce(sum(c.users), 0) as stuck_count
  from jobrunner.cause_counts as c
  left join jobrunner.cause_kinds as k on k.kind = c.error_kind
  where c.tenant_id = t.id
) as c;
comment on view jobrunner.tenant_overview is 'How is each tenant? Order by tenant and limit: each row counts up to a thousand users.';
comment on column jobrunner.tenant_overview.tenant is 'Name of the tenant.';
comment on column jobrunner.tenant_overview.weight is 'Its weight.';
comment on column jobrunner.tenant_overview.max_running is 'Most jobs of it that run at once; null: no limit.';
comment on column jobrunner.tenant_overview.paused_at is 'Since when it is paused; null: it is not.';
comment on column jobrunner.tenant_overview.created_at is 'When it was added.';
comment on column jobrunner.tenant_overview.user_count is 'Its users; 1001: more than a thousand.';
comment on column jobrunner.tenant_overview.cause_count is 'Causes that keep its users from being synced, as they were last counted.';
comment on column jobrunner.tenant_overview.is_urgent is 'One of them does not end by itself.';
comment on column jobrunner.tenant_overview.stuck_count is 'How many users have one; who has two counts twice.';
