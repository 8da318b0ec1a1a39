create or replace function jobrunner.other_sealing_key(
  in_key_id text
) returns text
language sql stable
security definer
set search_path = pg_catalog, pg_temp
as $$
-- The number of a key that some secret is sealed with, other than this one; null: there is none. For operators, who may
-- not read what is sealed.
select encode(substring(s.sealed from 2 for 8), 'hex')
from jobrunner.secrets as s
where substring(s.sealed from 2 for 8) <> decode(in_key_id, 'hex')
limit 1
$$;
comment on function jobrunner.other_sealing_key is 'The number of a key, other than this one, that some secret is sealed with.';
