create or replace function jobrunner.merge_writes(
  in_table text,
  in_known jsonb,
  in_sets text,
  in_hides boolean,
  in_sends boolean
) returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
-- SQL text of the queries kept and lost, which write what a merge changes of the rows in grouped, and nothing else.
-- A row whose columns change is to be sent again where its table has a push. Not for callers: merge_duplicates.
declare
  v_same text := (
    select 'r.user_id = $1 and ' || string_agg(format('r.%1$I = g.%1$I', k.name), ' and ')
    from jsonb_array_elements_text(in_known -> 'key') as k (name)
  );
  v_keeps text := in_sets
    || case when (in_known ->> 'push')::boolean then 'synced = r.synced and not g."Differs"'
      else 'synced = r.synced' end
    || case when in_hides then ', hidden_at = null' else '' end;
  v_sent text := coalesce('(r.' || quote_ident(in_known ->> 'change_tag') || ' is not null or r.sent_hashes is not null)', 'true');
begin
  return format(
    'kept as (
      update synced.%1$I as r set %2$s from grouped as g
      where %3$s and g."Place" = 1 and (g."Differs"%4$s) returning true
    ), ', in_table, v_keeps, v_same, case when in_hides then ' or r.hidden_at is not null' else '' end)
    || case
      when in_hides then format(
        'lost as (
          update synced.%1$I as r set hidden_at = now() from grouped as g
          where %2$s and g."Place" > 1 and r.hidden_at is null returning true
        )', in_table, v_same)
      when in_sends then format(
        'marked as (
          update synced.%1$I as r set pending_delete = true, synced = false from grouped as g
          where %2$s and g."Place" > 1 and %3$s returning true
        ), deleted as (
          delete from synced.%1$I as r using grouped as g where %2$s and g."Place" > 1 and not (%3$s) returning true
        ), lost as (select from marked union all select from deleted)', in_table, v_same, v_sent)
      else format(
        'lost as (
          delete from synced.%1$I as r using grouped as g where %2$s and g."Place" > 1 returning true
        )', in_table, v_same)
    end;
end
$$;
comment on function jobrunner.merge_writes is 'SQL text of what a merge writes.';
