create or replace function jobrunner.request_full_after_removal() returns trigger
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Trigger of the tables that jobs fill: rows were deleted by somebody else than jobrunner. The source would say that
-- nothing has changed since, so that the next pass of each entity that fills the table is a full one for these users.
-- Where deletions are sent, a row that goes is one that the source never had: keep_edit keeps the others.
declare
  v_users bigint[];
begin
  if tg_op = 'DELETE' then
    if (select (s.writable ->> 'sends_deletes')::boolean from jobrunner.synced_tables as s where s.name = tg_table_name::text)
      then
      return null;
    end if;
    select array_agg(distinct g.user_id) into v_users from gone as g;
    if v_users is null then
      return null;
    end if;
  end if;
  update jobrunner.checkpoints as k
  set full_asked = k.full_asked + 1
  from jobrunner.job_files as f
  cross join lateral jsonb_array_elements(f.expanded -> 'entities') as e
  where e #>> '{write,table}' = tg_table_name and k.job_name = f.name and split_part(k.entity, '#', 1) = e ->> 'entity'
    and (v_users is null or k.user_id = any (v_users)) and k.full_asked = k.full_begun and k.full_asked < 2147483647;
  return null;
end
$$;
comment on function jobrunner.request_full_after_removal is 'Has the rows read again that somebody deleted by hand. Not for callers: a trigger.';
