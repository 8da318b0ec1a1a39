create or replace function jobrunner.note_seen(
  in_user_id bigint,
  in_name text,
  in_entity text,
  in_page_number integer,
  in_keys bigint[]
) returns boolean
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Notes which keys a page of a full pass showed, by their key_hash, for the sweep at its end. The first page forgets what an
-- earlier pass showed. Called in the page's transaction. Returns true. Not for callers: runs.
begin
  if in_page_number = 1 then
    delete from jobrunner.seen_pages as p
    where p.user_id = in_user_id and p.job_name = in_name and p.entity = in_entity and p.page_number > 1;
  end if;
  insert into jobrunner.seen_pages (user_id, job_name, entity, page_number, keys)
  values (in_user_id, in_name, in_entity, in_page_number, in_keys)
  on conflict (user_id, job_name, entity, page_number) do update set keys = excluded.keys;
  return true;
end
$$;
comment on function jobrunner.note_seen is 'Notes which keys a page showed. Not for callers: runs.';
