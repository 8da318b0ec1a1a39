create or replace function jobrunner.shell_word(
  in_text text
) returns text
language sql immutable
set search_path = pg_catalog, pg_temp
as $$
-- The text as a word of a shell's line, so that a command that is shown can be copied.
select case
  when in_text ~ '^[A-Za-z0-9_][A-Za-z0-9_.:@/+=-]*$' then in_text
  else '''' || replace(in_text, '''', '''\''''') || ''''
end
$$;
comment on function jobrunner.shell_word is 'A text as a word of a shell''s line.';
