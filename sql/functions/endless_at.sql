create or replace function jobrunner.endless_at(
  in_user_id bigint,
  in_job text,
  in_last_success_at timestamptz
) returns timestamptz
language plpgsql stable parallel safe
security definer
set search_path = pg_catalog, pg_temp
as $$
-- When a job that has a pass in progress began to count as one whose pass does not end: a hundred runs since its last
-- complete one have committed pages and yielded, and the first of them is a day old. Null: there were not as many; the
-- time may be yet to come. A first sync of millions of records yields for hours, a slow source may need a day for one
-- of fewer: only both together are told. It reads a hundred runs of one job at most.
begin
  return (
    select case when count(*) = 100 then greatest(min(r.ended_at) + interval '1 day', max(r.ended_at)) end
    from (
      select p.ended_at
      from jobrunner.runs as p
      where p.user_id = in_user_id and p.job_name = in_job and p.ended_at > coalesce(in_last_success_at, '-infinity')
        and p.outcome = 'partial' and (p.counters).pages > 0
      order by p.ended_at
      limit 100
    ) as r
  );
end
$$;
comment on function jobrunner.endless_at is 'Since when a job''s runs commit pages and do not come to the end of a pass.';
