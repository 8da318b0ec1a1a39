create or replace function jobrunner.secret_keys(
  in_named integer
) returns table (
  key_id text,
  count bigint,
  named text[]
)
language sql stable
security definer
set search_path = pg_catalog, pg_temp
as $$
-- By which keys the stored secrets are sealed: the number of the key, how many are, and the first in_named of them in
-- words. For operators, who may not read what is sealed.
select k.key_id, count(*), array_agg(k.words order by k.number) filter (where k.number <= in_named)
from (
  select encode(substring(s.sealed from 2 for 8), 'hex') as key_id,
    s.name || coalesce(' of user ' || u.key, '') || ' of tenant ' || t.name as words,
    row_number() over (
      partition by substring(s.sealed from 2 for 8) order by t.name, u.key nulls first, s.name
    ) as number
  from jobrunner.secrets as s
  join jobrunner.tenants as t on t.id = s.tenant_id
  left join jobrunner.users as u on u.id = s.user_id
) as k
group by k.key_id
order by k.key_id
$$;
comment on function jobrunner.secret_keys is 'By which keys the stored secrets are sealed, and some of each in words.';
