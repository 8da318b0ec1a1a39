create or replace function jobrunner.key_hash(
  variadic in_key text[]
) returns bigint
language sql immutable parallel safe
return hashtextextended(array_to_string(in_key, chr(31)), 0);
comment on function jobrunner.key_hash is
  'The hash by which a sweep knows a record''s key again.';
