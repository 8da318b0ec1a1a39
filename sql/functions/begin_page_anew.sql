create or replace function jobrunner.begin_page_anew() returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Undoes a page beside which another writer took the key that one of its records was about to get; it is written again,
-- and sees that. Raises serialization_failure. Not for callers: pages.
begin
  raise exception 'a record''s new key was taken while its page was written' using errcode = 'serialization_failure';
end
$$;
comment on function jobrunner.begin_page_anew is 'Has a page written again beside which a key was taken. Not for callers: pages.';
