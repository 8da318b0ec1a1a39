create or replace function jobrunner.record_call(
  in_user_id bigint,
  in_name text,
  in_call text,
  in_list_hash text
) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Remembers that a named call succeeded; in the same transaction as hold_job.
begin
  insert into jobrunner.call_memory as m (user_id, job_name, call, last_succeeded_at, list_hash)
  values (in_user_id, in_name, in_call, now(), in_list_hash)
  on conflict (user_id, job_name, call) do update
  set last_succeeded_at = now(), list_hash = excluded.list_hash;
end
$$;
comment on function jobrunner.record_call is 'Remembers a named call''s success and the hash of the list it sent.';
