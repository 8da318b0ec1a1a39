create or replace function jobrunner.merge_duplicates(
  in_user_id bigint,
  in_table text,
  in_values text[] default null
) returns integer
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Makes one of a user's rows that agree in unique.by: the one that keep names gets the merged columns, the others wait
-- for their deletion (those the source never had go at once) or are hidden. A null in by: a row of its
-- own. in_values: only these keys, their columns as text joined by chr(31). Returns how many rows it wrote; merged
-- already: 0. Order does not matter, and rows that wait for their deletion or are soft-deleted take no part.
-- Raises JR016 without a rule. Locks the rows in key order.
declare
  v_known jsonb;
  v_unique jsonb;
  v_key text;
  v_hides boolean;
  v_sends boolean;
  v_merged text;
  v_sets text;
  v_differs text;
  v_live text;
  v_count integer;
  v_writes text;
begin
  select s.writable into v_known from jobrunner.synced_tables as s where s.name = in_table;
  v_unique := v_known -> 'unique';
  if jsonb_typeof(v_unique) is distinct from 'object' then
    raise exception 'no job file says which rows of table ''%'' are one', in_table using errcode = 'JR016',
      hint = 'Its entity needs write.unique.';
  end if;
  v_hides := v_unique ->> 'losers' = 'keep_hidden';
  v_sends := coalesce((v_known ->> 'sends_deletes')::boolean, false);
  select string_agg(format('r.%I', k.name), ', ') into v_key
  from jsonb_array_elements_text(v_known -> 'key') as k (name);
  select coalesce(string_agg(format(', r.%2$I as %4$I, %1$s(r.%2$I) over same as %3$I', case m.rule
        when 'or' then 'bool_or' when 'and' then 'bool_and'
        when 'max' then 'max' when 'newest' then 'max' else 'min'
      end, m.name, 'Merged_' || m.name, 'Present_' || m.name), ''), ''),
    coalesce(string_agg(format('%1$I = g.%2$I', m.name, 'Merged_' || m.name), ', ') || ', ', ''),
    coalesce(string_agg(format('g.%1$I is distinct from g.%2$I', 'Present_' || m.name, 'Merged_' || m.name), ' or '),
      'false')
  into v_merged, v_sets, v_differs
  from jsonb_each_text(v_unique -> 'merge') as m (name, rule);
  v_live := jobrunner.live_filter(v_known)
    || (select string_agg(format(' and r.%I is not null', b.name), '')
      from jsonb_array_elements_text(v_unique -> 'by') as b (name));

  v_writes := jobrunner.own_writes('on');
  -- What differs is asked of the rows as they are locked: the statement began before an edit that it waited for.
  execute format(
    'with grouped as materialized (
      select g.*, %10$s as "Differs"
      from (
        select %1$s, row_number() over (same order by r.%2$I %3$s nulls last, %1$s) as "Place"%4$s
        from (select * from synced.%5$I as r where r.user_id = $1%6$s%7$s order by %1$s for update) as r
        window same as (partition by %8$s)
      ) as g
    ), %9$s
    select (select count(*) from kept) + (select count(*) from lost)',
    v_key, v_unique ->> 'keep_field', case v_unique ->> 'keep' when 'newest' then 'desc' else 'asc' end, v_merged,
    in_table, v_live, jobrunner.merge_filter(in_table, v_unique -> 'by', in_values is not null),
    (select string_agg(format('r.%I', b.name), ', ') from jsonb_array_elements_text(v_unique -> 'by') as b (name)),
    jobrunner.merge_writes(in_table, v_known, v_sets, v_hides, v_sends), v_differs)
  into v_count using in_user_id, in_values;
  perform jobrunner.own_writes(v_writes);
  return v_count;
end
$$;
comment on function jobrunner.merge_duplicates is 'Makes one row of a user''s rows that are one thing under several keys.';
