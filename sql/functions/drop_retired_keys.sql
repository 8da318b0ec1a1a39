create or replace function jobrunner.drop_retired_keys(
  in_tenant_id bigint
) returns bytea[]
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Forgets the keys that a tenant seals with no more, and the access tokens that were sealed with them, which sources
-- give anew; returns the keys' ids, to be removed where they are kept outside. Fails (23503) while a secret is sealed
-- with one.
declare
  v_ids bytea[];
begin
  with gone as (
    delete from jobrunner.tenant_keys as k
    where k.tenant_id = in_tenant_id and k.retired_at is not null
    returning k.id, k.wrapped
  ), outside as (
    insert into jobrunner.key_removals (id) select g.id from gone as g where g.wrapped is null on conflict do nothing
  )
  select array_agg(g.id) into v_ids from gone as g;
  update jobrunner.renewals as r
  set access_token = null, good_until = null
  where r.tenant_id = in_tenant_id and substring(r.access_token from 2 for 8) = any (v_ids);
  return v_ids;
end
$$;
comment on function jobrunner.drop_retired_keys is 'Forgets the keys that a tenant seals with no more.';
