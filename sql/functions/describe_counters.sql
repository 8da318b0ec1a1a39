create or replace function jobrunner.describe_counters(
  in_view regclass
) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Gives the columns of a view that shows counters the comments that the counters have. Not for callers: files of views.
declare
  v_counter record;
begin
  for v_counter in
    select a.attname, col_description(a.attrelid, a.attnum) as meaning
    from pg_attribute as a
    where a.attrelid = 'jobrunner.counter_values'::regclass and a.attnum > 0 and not a.attisdropped
  loop
    execute format('comment on column %s.%I is %L', in_view, v_counter.attname, v_counter.meaning);
  end loop;
end
$$;
comment on function jobrunner.describe_counters is 'Gives a view''s counters their comments. Not for callers: files of views.';
