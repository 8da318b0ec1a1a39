create or replace function jobrunner.note_calls(
  in_places bigint[],
  in_user_ids bigint[],
  in_names text[],
  in_calls text[]
) returns void
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Remembers calls that succeeded, of the runs at in_places, whose jobs are locked. Not for callers: finish_runs.
begin
  insert into jobrunner.call_memory as m (user_id, job_name, call, last_succeeded_at, list_hash)
  select in_user_ids[h.place], in_names[h.place], c.call, now(), c.list_hash
  from unnest(in_places) as h (place)
  cross join lateral jsonb_to_recordset(in_calls[h.place]::jsonb) as c (call text, list_hash text)
  where in_calls[h.place] is not null
  on conflict (user_id, job_name, call) do update
  set last_succeeded_at = excluded.last_succeeded_at, list_hash = excluded.list_hash;
end
$$;
comment on function jobrunner.note_calls is 'Remembers calls that came with an outcome. Not for callers: finish_runs.';
