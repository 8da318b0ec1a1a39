create or replace function jobrunner.bare_query(
  in_query text
) returns text
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
-- What a query does, on one line of at most 100 characters and without a value that its author wrote. It ends where a
-- quote, a comment or a second statement begins, and a number is a question mark. Of settings and roles only two words
-- are told. Null: nothing is left.
select nullif(left(
  case
    when b.line ~* '^(set|reset|(create|alter) (role|user|system|database))\M'
      then regexp_replace(b.line, '^(\S+ \S+) .*$', '\1 …')
    else b.line
  end, 100), '')
from (
  select trim(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
    in_query, '^(\s*(/\*[^/*]*\*/|(begin|start transaction)\s*;))*', '', 'i'), '[;\s]+$', ''), '(''|\$(?!\d)|--|/\*|;).*$', '…'),
    '\m\d[\w.]*', '?', 'g'), '\s+', ' ', 'g')) as line
) as b
$$;
comment on function jobrunner.bare_query is 'What a query does, on a line and without the values in it.';
