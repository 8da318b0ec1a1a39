create or replace function jobrunner.set_user(
  in_tenant text,
  in_key text,
  in_attributes jsonb
) returns void
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Merges attributes into a user's; a null value takes one away. Raises JR010, JR011.
-- One that a run has made stays what it is, whatever is given for it.
declare
  v_user jobrunner.users := jobrunner.user_named(in_tenant, in_key);
begin
  update jobrunner.users as u set attributes = jsonb_strip_nulls(u.attributes || in_attributes)
  where u.id = v_user.id and jsonb_strip_nulls(u.attributes || in_attributes) <> u.attributes;
  if not found then
    return;
  end if;
  -- Words that job files could name, and no text that somebody puts into a name.
  perform jobrunner.note_act('set_user', null,
    jsonb_build_object('attributes', array(
      select k.name from jsonb_object_keys(in_attributes) as k (name)
      where k.name ~ '^[A-Za-z_][A-Za-z0-9_]{0,62}$'
      order by 1 limit 20
    )),
    in_tenant_id => v_user.tenant_id, in_user_id => v_user.id);
end
$$;
comment on function jobrunner.set_user is 'Merges attributes into a user''s.';
