create or replace function jobrunner.set_user(
  in_tenant text,
  in_key text,
  in_attributes jsonb
) returns void
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Merges attributes into a user's; a null value takes one away. Raises JR010, JR011.
-- One that a run has made stays what it is, whatever is given for it.
declare
  v_user jobrunner.users := jobrunner.user_named(in_tenant, in_key);
begin
  update jobrunner.users as u set attributes = jsonb_strip_nulls(u.attributes || in_attributes)
  where u.id = v_user.id;
end
$$;
comment on function jobrunner.set_user is 'Merges attributes into a user''s.';
