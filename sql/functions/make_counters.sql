-- Counters by name; what is not named is 0. Made from the type itself, as add_counters is, so that nobody else must
-- know all of them, or their order.
do $make$
declare
  v_older regprocedure;
begin
  for v_older in
    select p.oid from pg_proc as p where p.pronamespace = 'jobrunner'::regnamespace and p.proname = 'make_counters'
  loop
    execute format('drop function %s', v_older);
  end loop;
  execute (
    select format(
      'create function jobrunner.make_counters(%s) returns jobrunner.counters
      language sql immutable parallel safe
      return row(%s)::jobrunner.counters',
      string_agg(format('%I bigint default 0', a.attname), ', ' order by a.attnum),
        string_agg(quote_ident(a.attname), ', ' order by a.attnum)
    )
    from pg_attribute as a
    where a.attrelid = 'jobrunner.counter_values'::regclass and a.attnum > 0 and not a.attisdropped
  );
end
$make$;
comment on function jobrunner.make_counters is 'Counters by name; what is not named is 0. Not for callers: pages and pushes.';
