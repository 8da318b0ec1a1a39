create or replace function jobrunner.waiting_edits(
  in_tenant text,
  in_user text
) returns table (
  table_name text,
  edits bigint,
  refused bigint
)
language plpgsql stable
security definer
set search_path = pg_catalog, pg_temp
as $$
-- How many of a user's edits and deletions wait to be sent to the source, by table, each counted up to a thousand; and
-- how many of these the source has refused. Tables without any are left out. Raises JR010, JR011.
declare
  v_user jobrunner.users := jobrunner.user_named(in_tenant, in_user);
  v_table text;
begin
  for v_table in
    select s.name
    from jobrunner.synced_tables as s
    -- Those that a job sends back.
    where exists (
      select from pg_attribute as a
      where a.attrelid = to_regclass(format('synced.%I', s.name)) and a.attname = 'push_error' and not a.attisdropped
    )
    order by s.name
  loop
    return query execute format(
      'select %L::text, count(*), count(r.push_error)
      from (
        select r.push_error from synced.%I as r where r.user_id = $1 and (not r.synced or r.pending_delete) limit 1000
      ) as r
      having count(*) > 0', v_table, v_table)
    using v_user.id;
  end loop;
end
$$;
comment on function jobrunner.waiting_edits is 'How many of a user''s edits wait to be sent, by table.';
