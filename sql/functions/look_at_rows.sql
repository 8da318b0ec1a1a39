create or replace function jobrunner.look_at_rows(
  in_tenant text,
  in_user text,
  in_table text,
  in_most integer default 20
) returns setof jsonb
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- A user's first rows of a synced table, a hundred at most, for a person who looks. It reads by the rights and the
-- policies of its caller: of no group of this installation, so that nobody looks unless an administrator has granted a
-- role select on the table. Each look is noted, in the transaction that looks. Raises JR010, JR011.
begin
  perform jobrunner.note_look(in_tenant, in_user, in_table);
  return query execute format(
    'select to_jsonb(r) from synced.%I as r where r.user_id = (
      select u.id from jobrunner.users as u join jobrunner.tenants as t on t.id = u.tenant_id
      where t.name = $1 and u.key = $2
    ) limit $3', in_table)
  using in_tenant, in_user, least(in_most, 100);
end
$$;
comment on function jobrunner.look_at_rows is 'A user''s first rows of a synced table, by the rights of who asks; each look is noted.';
