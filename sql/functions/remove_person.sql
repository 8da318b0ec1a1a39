create or replace function jobrunner.remove_person(
  in_sign_in text
) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Whoever signs in to the pages by that name is nobody there from his next question on. Raises JR018 when he is nobody
-- already. The owner alone may call it.
begin
  delete from jobrunner.people as p where p.sign_in = in_sign_in;
  if not found then
    raise exception 'nobody signs in as ''%''', in_sign_in using errcode = 'JR018',
      hint = 'jobrunner person list has those who do.';
  end if;
  perform jobrunner.note_act('remove_person', in_sign_in);
end
$$;
comment on function jobrunner.remove_person is 'Takes from somebody what he may do on the pages of jobrunner serve. The owner''s.';
