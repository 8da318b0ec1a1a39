create or replace function jobrunner.changed_keys(
  in_known jsonb
) returns text
language sql immutable strict
set search_path = pg_catalog, pg_temp
as $$
-- SQL text of the rows that one update changed for applications, as user_id and key: gone holds them as they were, made
-- as they are. A row that got another key is one that went and one that came. in_known: synced_tables.told. Not for
-- callers: tell_changes.
select format(
  'select r.user_id, %1$s as key
  from (
    select coalesce(n.user_id, o.user_id) as user_id, %2$s
    from gone as o
    full join made as n on n.user_id = o.user_id and %3$s
    where (%4$s%5$s) is distinct from (%6$s%7$s)%8$s
  ) as r',
  jobrunner.told_columns(in_known -> 'key'),
  (select string_agg(format('coalesce(n.%1$I, o.%1$I) as %1$I', k.name), ', ')
    from jsonb_array_elements_text(in_known -> 'key') as k (name)),
  (select string_agg(format('n.%1$I = o.%1$I', k.name), ' and ')
    from jsonb_array_elements_text(in_known -> 'key') as k (name)),
  case when w.waits then 'o.pending_delete, ' else '' end || 'o.user_id, ', c.old,
  case when w.waits then 'n.pending_delete, ' else '' end || 'n.user_id, ', c.new,
  case when w.waits then ' and not (coalesce(o.pending_delete, true) and coalesce(n.pending_delete, true))' else '' end)
from (select (in_known ->> 'waits')::boolean as waits) as w
cross join (
  select string_agg(format('o.%I', r.name), ', ') as old, string_agg(format('n.%I', r.name), ', ') as new
  from jsonb_array_elements_text(in_known -> 'row') as r (name)
) as c
$$;
comment on function jobrunner.changed_keys is 'SQL text of the rows that an update changed for applications. Not for callers: tell_changes.';
