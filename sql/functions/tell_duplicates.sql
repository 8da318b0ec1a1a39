create or replace function jobrunner.tell_duplicates(
  in_user_id bigint,
  in_name text,
  in_fence bigint,
  in_entity text,
  in_table text,
  in_values text[] default null
) returns integer
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Tells of a user's rows that agree in unique.by, before merge_duplicates makes them one: {"by": {column: value},
-- "rows": count} each, a hundred at most. in_values: as for merge_duplicates. In a transaction that begins with
-- hold_job. Not for callers: runs.
declare
  v_known jsonb := (select s.writable from jobrunner.synced_tables as s where s.name = in_table);
  v_by jsonb := v_known -> 'unique' -> 'by';
  v_details jsonb;
begin
  execute format(
    'select jsonb_agg(g.detail)
    from (
      select jsonb_build_object(''by'', jsonb_build_object(%1$s), ''rows'', count(*)) as detail
      from synced.%2$I as r
      where r.user_id = $1%3$s%4$s
      group by %5$s
      having count(*) > 1
      order by %5$s
      limit 100
    ) as g',
    (select string_agg(format('%1$L, r.%1$I', b.name), ', ') from jsonb_array_elements_text(v_by) as b (name)),
      in_table,
    jobrunner.live_filter(v_known) || case when (v_known ->> 'hides')::boolean then ' and r.hidden_at is null'
      else '' end
      || (select string_agg(format(' and r.%I is not null', b.name), '')
        from jsonb_array_elements_text(v_by) as b (name)),
    jobrunner.merge_filter(in_table, v_by, in_values is not null),
    (select string_agg(format('r.%I', b.name), ', ') from jsonb_array_elements_text(v_by) as b (name)))
  into v_details using in_user_id, in_values;
  return coalesce(
    jobrunner.tell_of_run(in_user_id, in_name, in_fence, 'duplicates_found', in_entity, v_details), 0);
end
$$;
comment on function jobrunner.tell_duplicates is 'Tells readers which rows of a user are about to become one. Not for callers: runs.';
