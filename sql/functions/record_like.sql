create or replace function jobrunner.record_like(
  in_user_id bigint,
  in_table text,
  in_known jsonb,
  in_by jsonb,
  in_values jsonb
) returns jsonb
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- The live record of a user that agrees with the values in these columns, of several the one that a merge would keep;
-- null: none. Not for callers: save_record.
declare
  v_row jsonb;
begin
  execute format(
    'select to_jsonb(r.*) from synced.%1$I as r, jsonb_populate_record(null::synced.%1$I, $2) as v
    where %2$s%3$s%4$s order by %5$s%6$s limit 1', in_table, jobrunner.record_where(in_by),
    case when (in_known ->> 'push')::boolean then ' and not r.pending_delete' else '' end,
    case when in_known ? 'soft_field' then format(' and (r.%1$I is null or r.%1$I > now())', in_known ->> 'soft_field')
      else '' end,
    coalesce('r.' || quote_ident(in_known -> 'unique' ->> 'keep_field')
      || case in_known -> 'unique' ->> 'keep' when 'newest' then ' desc' else ' asc' end || ' nulls last, ', ''),
    (select string_agg(format('r.%I', k.name), ', ') from jsonb_array_elements_text(in_known -> 'key') as k (name)))
  into v_row using in_user_id, in_values;
  return v_row;
end
$$;
comment on function jobrunner.record_like is 'The live record that agrees with values in some columns.';
