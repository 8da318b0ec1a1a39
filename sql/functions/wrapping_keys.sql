create or replace function jobrunner.wrapping_keys(
  in_named integer
) returns table (
  key_id text,
  tenants bigint,
  secrets bigint,
  named text[]
)
language sql stable
security definer
set search_path = pg_catalog, pg_temp
as $$
-- By which keys of a key file the tenants' keys are wrapped: the number of the key, of how many tenants, how many
-- secrets they seal, and the first in_named tenants. For operators, who may read no key.
select k.key_id, count(*), sum(k.secrets)::bigint,
  array_agg(k.name order by k.number) filter (where k.number <= in_named)
from (
  select encode(t.wrapped_by, 'hex') as key_id, n.name,
    (select count(*) from jobrunner.secrets as s where s.tenant_id = t.tenant_id and s.key_id = t.id) as secrets,
    row_number() over (partition by t.wrapped_by order by n.name) as number
  from jobrunner.tenant_keys as t
  join jobrunner.tenants as n on n.id = t.tenant_id
) as k
group by k.key_id
order by k.key_id
$$;
comment on function jobrunner.wrapping_keys is 'By which keys of a key file the tenants'' keys are wrapped.';
