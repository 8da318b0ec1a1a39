create or replace function jobrunner.mark_counts_raised(
  in_user_id bigint,
  in_source text,
  in_field text,
  in_records text[]
) returns void
language sql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Notes that the user's one is in these records, or that they are gone; in a transaction that begins with hold_job.
-- Not for callers: runs.
  insert into jobrunner.raised_counts as r (user_id, tenant_id, source, field, record, arrived_at)
  select in_user_id, u.tenant_id, in_source, in_field, g.record, now()
  from unnest(in_records) as g (record)
  join jobrunner.users as u on u.id = in_user_id
  on conflict (user_id, source, field, record) do update set arrived_at = now() where r.arrived_at is null
$$;
comment on function jobrunner.mark_counts_raised is 'Notes in which records a user''s one has arrived. Not for callers: runs.';
