create or replace function jobrunner.preload_runs(
  in_user_ids bigint[],
  in_lists jsonb,
  in_tables text[],
  in_sources jsonb,
  in_dirty text[] default '{}'
) returns jsonb
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- What a batch of claimed runs must know before its first request, in one answer:
--   lists   {"table.column": {"user id": [count, hash]}}   users without an item are left out
--   empty   {"table": [user ids without a row]}
--   dirty   {"table": [user ids with unsent edits or deletions]}, of tables with push
--   sources [{tenant_id, source, base, granted, blocked_ms}]
-- A source whose row another transaction holds grants nothing here: each of its runs asks again by itself.
-- in_lists: [{"table", "column"}]; in_sources: [{"tenant_id", "source", "wanted"}].
declare
  v_lists jsonb := '{}';
  v_empty jsonb := '{}';
  v_dirty jsonb := '{}';
  v_part jsonb;
  v_list record;
  v_table text;
begin
  for v_list in select * from jsonb_to_recordset(in_lists) as l ("table" text, "column" text) loop
    execute format(
      'select coalesce(jsonb_object_agg(user_id, jsonb_build_array(item_count, hash)), ''{}'')
      from (
        select user_id, count(*) as item_count, md5(string_agg(%1$I, E''\n'' order by %1$I)) as hash
        from synced.%2$I
        where user_id = any ($1)
        group by user_id
      ) as list', v_list."column", v_list."table")
    into v_part using in_user_ids;
    v_lists := v_lists || jsonb_build_object(v_list."table" || '.' || v_list."column", v_part);
  end loop;

  foreach v_table in array in_tables loop
    execute format(
      'select coalesce(jsonb_agg(asked.id), ''[]'')
      from unnest($1) as asked (id)
      where not exists (select from synced.%I as r where r.user_id = asked.id)', v_table)
    into v_part using in_user_ids;
    v_empty := v_empty || jsonb_build_object(v_table, v_part);
  end loop;

  foreach v_table in array in_dirty loop
    execute format(
      'select coalesce(jsonb_agg(asked.id), ''[]'')
      from unnest($1) as asked (id)
      where exists (select from synced.%I as r where r.user_id = asked.id and (not r.synced or r.pending_delete))',
      v_table)
    into v_part using in_user_ids;
    v_dirty := v_dirty || jsonb_build_object(v_table, v_part);
  end loop;

  return jsonb_build_object(
    'lists', v_lists,
    'empty', v_empty,
    'dirty', v_dirty,
    'sources', (
      select coalesce(jsonb_agg(to_jsonb(b)), '[]')
      -- In one order: two batches that want the same sources must not wait for each other.
      from (
        select a.*
        from jsonb_to_recordset(in_sources) as a (tenant_id bigint, source text, wanted integer)
        order by a.tenant_id, a.source
      ) as asked
      cross join lateral jobrunner.take_budget(asked.tenant_id, asked.source, asked.wanted, false) as b
    ));
end
$$;
comment on function jobrunner.preload_runs is
  'Lists, empty tables, unsent edits, budgets and breakers for a batch of claimed runs, in one statement.';
