create or replace function jobrunner.tell_conflicts(
  in_user_id bigint,
  in_name text,
  in_fence bigint,
  in_entity text,
  in_records text[],
  in_winner text
) returns integer
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Tells of records that were written here and at the source, and whose version stays: ours or theirs. In a transaction
-- that begins with hold_job. Returns how many events its job file asked for. Not for callers: pages.
begin
  if in_records is null or in_records = '{}' then
    return 0;
  end if;
  return jobrunner.tell_of_run(in_user_id, in_name, in_fence, 'conflict_decided', in_entity, (
    select jsonb_agg(jsonb_build_object('record', r.name, 'winner', in_winner) order by r.name)
      from unnest(in_records) as r (name)
  ));
end
$$;
comment on function jobrunner.tell_conflicts is 'Tells whose version of records stays. Not for callers: pages.';
