-- Counters of two parts of a run added up, one by one; a part that is null counts as nothing. Made from the type
-- itself, so that a new counter is declared there and nowhere else.
do $make$
begin
  execute (
    select format(
      'create or replace function jobrunner.add_counters(
        in_some jobrunner.counters,
        in_more jobrunner.counters
      ) returns jobrunner.counters
      language sql immutable parallel safe
      return row(%s)::jobrunner.counters',
      string_agg(format('coalesce((in_some).%1$I, 0) + coalesce((in_more).%1$I, 0)', a.attname), ', ' order by a.attnum)
    )
    from pg_attribute as a
    where a.attrelid = 'jobrunner.counter_values'::regclass and a.attnum > 0 and not a.attisdropped
  );
end
$make$;
comment on function jobrunner.add_counters is 'The sum of two parts'' counters; of two nulls, counters that are all 0.';
