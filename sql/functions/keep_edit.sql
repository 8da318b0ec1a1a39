create or replace function jobrunner.keep_edit() returns trigger
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Trigger of the tables that a job sends back: whatever somebody else than a run writes there is an edit, by whatever
-- way it comes (docs/decisions/0058). The edit is marked as unsent and stamped; a row that the source has waits for its
-- deletion. A record that is made anew under the key of one that waits for its deletion begins empty, with the tag and
-- the name by which the source knows it. A row that is inserted with a change tag is a copy of what the source has, and
-- no edit.
-- Raises JR016 for an edit that can't be: a version that has no later one, or another key of a record that goes by its
-- key. It acts as the owner: who may write the table need know nothing of schema jobrunner. Not for callers: a trigger.
declare
  v_known jsonb := (select s.writable from jobrunner.synced_tables as s where s.name = tg_table_name::text);
  v_tag text := v_known ->> 'change_tag';
  v_old jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  v_new jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  -- The source may know of it only where it has given a tag, or where something was sent.
  v_is_known boolean := v_old -> v_tag <> 'null' or v_old -> 'sent_hashes' <> 'null';
begin
  if tg_op = 'DELETE' then
    if not (v_known ->> 'sends_deletes')::boolean or not v_is_known then
      return old;
    end if;
    -- Comes here again as an update, which marks and stamps it.
    execute format(
      'update synced.%1$I as r set pending_delete = true from jsonb_populate_record(null::synced.%1$I, $2) as v where %2$s',
      tg_table_name, jobrunner.record_where(v_known -> 'key'))
    using old.user_id, v_old;
    return null;
  end if;
  if tg_op = 'INSERT' then
    if v_new -> v_tag <> 'null' then
      return new;
    end if;
    v_old := jobrunner.take_dead_record(tg_table_name, v_known, new.user_id, v_new);
    return jsonb_populate_record(new,
      '{"synced": false, "pending_delete": false, "push_error": null, "push_pause": null, "unread_fields": null}'
      || case
        when v_old is null then '{}'
        else jsonb_build_object(
          v_tag, v_old -> v_tag, v_known ->> 'record_name', v_old -> (v_known ->> 'record_name'), 'sent_hashes',
            v_old -> 'sent_hashes')
      end
      || jobrunner.stamps_of_edit(tg_table_name, v_known, v_old, v_new));
  end if;
  if exists (
      select from jsonb_array_elements_text(v_known -> 'key') as k (name) where v_old -> k.name is distinct
        from v_new -> k.name
    ) and v_is_known and (v_known -> 'key' ? (v_known ->> 'record_name') or v_old -> v_tag = 'null')
  then
    raise exception 'a record of table ''%'' that the source knows gets no other key', tg_table_name
      using errcode = 'JR016',
      hint = 'Delete it, and make another one.';
  end if;
  if v_new -> 'pending_delete' = v_old -> 'pending_delete' and not (old.synced and not new.synced) and not exists (
      select from jsonb_array_elements_text(v_known -> 'edited') as f (name) where v_old -> f.name is distinct
        from v_new -> f.name
    )
  then
    -- Only what is the application's own was written: an unsent edit stays one.
    return jsonb_populate_record(new, jsonb_build_object('synced', old.synced));
  end if;
  return jsonb_populate_record(new,
    '{"synced": false, "push_error": null}' || jobrunner.stamps_of_edit(tg_table_name, v_known, v_old, v_new));
end
$$;
comment on function jobrunner.keep_edit is 'Marks, stamps and keeps an edit. Not for callers: a trigger.';
