create or replace function jobrunner.make_attribute(
  in_user_id bigint,
  in_name text
) returns jsonb
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Makes an attribute that a user lacks, a random UUID; returns what the user has by now, whoever gave or made it.
-- Of runs that ask at once one makes it, and the others wait for the user's row. Raises JR011.
declare
  v_value jsonb;
begin
  update jobrunner.users as u
  set made = u.made || jsonb_build_object(in_name, gen_random_uuid())
  where u.id = in_user_id and coalesce(u.attributes ->> in_name, '') = '' and not u.made ? in_name;
  select (u.attributes || u.made) -> in_name into v_value from jobrunner.users as u where u.id = in_user_id;
  if not found then
    raise exception 'there is no user %', in_user_id using errcode = 'JR011', hint = 'It was removed meanwhile.';
  end if;
  return v_value;
end
$$;
comment on function jobrunner.make_attribute is
  'Makes an attribute that a user lacks, once, and tells what it is.';
