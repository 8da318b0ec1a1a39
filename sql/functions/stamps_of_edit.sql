create or replace function jobrunner.stamps_of_edit(
  in_table text,
  in_known jsonb,
  in_old jsonb,
  in_new jsonb
) returns jsonb
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
-- The stamps of an edit, by column: the time that the edit itself gives, else now; a whole number that is a version is
-- raised by one. Each is later than what it replaces, whatever the clock of the device said that wrote it. in_old: null
-- without any.
-- Raises JR016 where there is no later one. Not for callers: keep_edit.
declare
  v_stamps jsonb := '{}';
  v_name text;
  v_was timestamptz;
  v_given timestamptz;
  v_number bigint;
begin
  for v_name in select s.name from jsonb_array_elements_text(in_known -> 'stamps') as s (name) loop
    v_was := in_old ->> v_name;
    v_given := case when in_new -> v_name is distinct from in_old -> v_name then in_new ->> v_name end;
    if v_was > timestamptz '200000-01-01' then
      perform jobrunner.refuse_unstamped(in_table, v_name, v_was::text);
    end if;
    v_stamps := v_stamps || jsonb_build_object(v_name,
      greatest(coalesce(v_given, date_trunc('milliseconds', now())),
        date_trunc('milliseconds', v_was) + interval '1 ms'));
  end loop;
  v_name := in_known ->> 'raises';
  if v_name is not null then
    v_number := in_old ->> v_name;
    if v_number = 9223372036854775807 then
      perform jobrunner.refuse_unstamped(in_table, v_name, v_number::text);
    end if;
    v_stamps := v_stamps || jsonb_build_object(v_name, greatest((in_new ->> v_name)::bigint, v_number + 1, 1));
  end if;
  return v_stamps;
end
$$;
comment on function jobrunner.stamps_of_edit is 'The stamps of an edit, later than what it replaces. Not for callers: keep_edit.';
