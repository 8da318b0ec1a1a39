drop function if exists jobrunner.period_of(bigint, bigint, text, interval);
create or replace function jobrunner.period_of(
  in_user_id bigint,
  in_tenant_id bigint,
  in_job text,
  in_every interval
) returns table (
  every interval
)
language sql stable parallel safe
as $$
-- The period of a user's job: the user's own, else the tenant's, else in_every, the job file's. A table of one row, so that it is
-- written into the caller's plan: called for each user of a tenant it would take longer than all else.
select coalesce(u.every, t.every, in_every)
from (select) as one
left join jobrunner.periods as u on u.user_id = in_user_id and u.tenant_id = in_tenant_id and u.job_name = in_job
left join jobrunner.periods as t on t.user_id = 0 and t.tenant_id = in_tenant_id and t.job_name = in_job
$$;
comment on function jobrunner.period_of is 'The period of a user''s job: the user''s own, the tenant''s or the file''s.';
