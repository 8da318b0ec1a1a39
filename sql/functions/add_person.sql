create or replace function jobrunner.add_person(
  in_sign_in text,
  in_role text,
  in_person text
) returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Lets whoever signs in to the pages of `jobrunner serve` by that name read and act there by a role of the server, as
-- that person. Whoever has another role or name so far has these from then on. Returns false when nothing changed.
-- Raises JR018 for a role that the server does not have. The owner alone may call it: who could add himself could
-- choose his rights.
begin
  if not exists (select from pg_roles as r where r.rolname = in_role) then
    raise exception 'the server has no role ''%''', in_role using errcode = 'JR018',
      hint = 'Name a group of this installation, or a role that has its rights.';
  end if;
  insert into jobrunner.people as p (sign_in, role, person) values (in_sign_in, in_role, in_person)
  on conflict (sign_in) do update set role = excluded.role, person = excluded.person
  where (p.role, p.person) is distinct from (excluded.role, excluded.person);
  if not found then
    return false;
  end if;
  perform jobrunner.note_act('add_person', in_sign_in, jsonb_build_object('role', in_role, 'person', in_person));
  return true;
end
$$;
comment on function jobrunner.add_person is 'Lets somebody act on the pages of jobrunner serve by a role of the server. The owner''s.';
