create or replace function jobrunner.unsuitable_values(
  in_values text[],
  in_type text
) returns integer[]
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
-- 1-based places of values that do not fit a column type. Asked only after a page was refused by a cast, to find
-- which of its records to leave out.
declare
  v_places integer[] := '{}';
  v_type regtype := in_type::regtype;
begin
  for i in 1..coalesce(cardinality(in_values), 0) loop
    begin
      execute format('select $1::%s', v_type) using in_values[i];
    exception when data_exception or program_limit_exceeded then
      v_places := v_places || i;
    end;
  end loop;
  return v_places;
end
$$;
comment on function jobrunner.unsuitable_values is 'Which values of a refused page do not fit their column.';
