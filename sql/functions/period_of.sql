create or replace function jobrunner.period_of(
  in_user_id bigint,
  in_tenant_id bigint,
  in_job text
) returns table (
  every interval
)
language sql stable parallel safe
as $$
-- The period that a user's job was given: the user's own, else the tenant's; null: neither, and the job file's counts.
-- Always one row. A table, so that it is written into the caller's plan: called for each user of a tenant it would take
-- longer than all else. The file's period is not taken into account here: whoever locks the file's row must take it
-- from there.
select coalesce(u.every, t.every)
from (select) as one
left join jobrunner.periods as u on u.user_id = in_user_id and u.tenant_id = in_tenant_id and u.job_name = in_job
left join jobrunner.periods as t on t.user_id = 0 and t.tenant_id = in_tenant_id and t.job_name = in_job
$$;
comment on function jobrunner.period_of is 'The period that a user''s job was given: the user''s own or the tenant''s; null: the file''s counts.';
