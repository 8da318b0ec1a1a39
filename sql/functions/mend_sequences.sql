create or replace function jobrunner.mend_sequences() returns table (
  name text,
  stood_at bigint,
  stands_at bigint
)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Moves each sequence on that stands behind the rows it numbers: what it drew next would be there already. A row for
-- each, none as a rule. Not for callers: migrate.
declare
  v_numbered record;
  v_step bigint;
begin
  for v_numbered in
    select pg_get_serial_sequence(format('%s', a.attrelid::regclass), a.attname) as sequence,
      a.attrelid::regclass as tab, a.attname as col
    from pg_attribute as a
    join pg_class as c on c.oid = a.attrelid and c.relnamespace = 'jobrunner'::regnamespace and c.relkind = 'r'
    where a.attidentity <> '' and not a.attisdropped
    union all
    select 'jobrunner.fences', 'jobrunner.jobs'::regclass, 'fence'
    union all
    select 'jobrunner.secret_versions', 'jobrunner.secrets'::regclass, 'version'
    union all
    select 'jobrunner.change_numbers', 'jobrunner.change_turns'::regclass, 'last_number'
  loop
    name := v_numbered.sequence;
    execute format('select max(%I) from %s', v_numbered.col, v_numbered.tab) into stands_at;
    select coalesce(s.last_value, 0), s.increment_by into stood_at, v_step
    from pg_sequences as s
    where format('%I.%I', s.schemaname, s.sequencename)::regclass = name::regclass;
    if stands_at > stood_at + v_step - 1 then
      perform setval(name::regclass, stands_at);
      return next;
    end if;
  end loop;
end
$$;
comment on function jobrunner.mend_sequences is 'Moves sequences on that stand behind their rows. Not for callers: migrate.';
