create or replace function jobrunner.store_record_failures(
  in_user_id bigint,
  in_name text,
  in_entity text,
  in_failures jsonb
) returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Keeps the last five distinct failures of single records, the newest first. Two are the same when code and
-- reason are. in_failures: [{code, reason, record, wait_s}], the newest last. Returns true.
begin
  update jobrunner.checkpoints as k
  set record_failures = (
    select coalesce(jsonb_agg(newest.failure order by newest.number), '[]')
    from (
      select latest.failure, latest.number
      from (
        select distinct on (f.failure ->> 'code', f.failure ->> 'reason') f.failure, f.number
        from (
          select given.failure || jsonb_build_object('at', now()) as failure, -given.number as number
          from jsonb_array_elements(in_failures) with ordinality as given (failure, number)
          union all
          select kept.failure, kept.number
          from jsonb_array_elements(k.record_failures) with ordinality as kept (failure, number)
        ) as f
        order by f.failure ->> 'code', f.failure ->> 'reason', f.number
      ) as latest
      order by latest.number
      limit 5
    ) as newest
  )
  where k.user_id = in_user_id and k.job_name = in_name and k.entity = in_entity;
  return true;
end
$$;
comment on function jobrunner.store_record_failures is 'Keeps the last five distinct failures of an entity''s records.';
