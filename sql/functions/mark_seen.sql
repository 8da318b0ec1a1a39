create or replace function jobrunner.mark_seen(
  in_user_id bigint,
  in_name text,
  in_entity text,
  in_pass_number integer,
  in_page_number integer,
  in_keys bigint[]
) returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Notes by their key_hash which rows are the entity's own: what a page of a full pass showed, or what one of an
-- incremental pass added. A sweep compares full passes by it (sweep_table). Called in the page's transaction. Returns
-- true.
begin
  if in_keys is null then
    return true;
  end if;
  -- Passes that did not come to their end leave what they showed; joined, it is no longer than the list.
  if in_page_number = 1 and (
    select count(*) > 100
    from jobrunner.seen_pages as p
    where p.user_id = in_user_id and p.job_name = in_name and p.entity = in_entity and p.page_number > 0
  ) then
    with earlier as (
      delete from jobrunner.seen_pages as p
      where p.user_id = in_user_id and p.job_name = in_name and p.entity = in_entity and p.page_number > 0
      returning p.keys
    )
    insert into jobrunner.seen_pages (user_id, job_name, entity, pass_number, page_number, keys)
    select in_user_id, in_name, in_entity, in_pass_number - 1, 1,
      array(select distinct unnest(e.keys) from earlier as e);
  end if;
  insert into jobrunner.seen_pages (user_id, job_name, entity, pass_number, page_number, keys)
  values (in_user_id, in_name, in_entity, in_pass_number, in_page_number, in_keys)
  on conflict (user_id, job_name, entity, pass_number, page_number) do update set keys = excluded.keys;
  return true;
end
$$;
comment on function jobrunner.mark_seen is 'Notes which rows are an entity''s own. Not for callers: runs.';
