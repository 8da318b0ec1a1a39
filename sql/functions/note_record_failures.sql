create or replace function jobrunner.note_record_failures(
  in_user_id bigint,
  in_name text,
  in_entity text,
  in_failures jsonb
) returns boolean
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Keeps the last five distinct failures of single records, the newest first (LU26). Two are the same when code and
-- reason are. in_failures: [{code, reason, record, wait_s}], the newest last. Returns true.
begin
  update jobrunner.checkpoints as k
  set record_failures = (
    select coalesce(jsonb_agg(newest.failure order by newest.place), '[]')
    from (
      select latest.failure, latest.place
      from (
        select distinct on (f.failure ->> 'code', f.failure ->> 'reason') f.failure, f.place
        from (
          select given.failure || jsonb_build_object('at', now()) as failure, -given.place as place
          from jsonb_array_elements(in_failures) with ordinality as given (failure, place)
          union all
          select kept.failure, kept.place
          from jsonb_array_elements(k.record_failures) with ordinality as kept (failure, place)
        ) as f
        order by f.failure ->> 'code', f.failure ->> 'reason', f.place
      ) as latest
      order by latest.place
      limit 5
    ) as newest
  )
  where k.user_id = in_user_id and k.job_name = in_name and k.entity = in_entity;
  return true;
end
$$;
comment on function jobrunner.note_record_failures is 'Keeps the last five distinct failures of an entity''s records.';
