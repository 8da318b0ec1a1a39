create or replace function jobrunner.delete_record(
  in_tenant text,
  in_user text,
  in_table text,
  in_key jsonb
) returns boolean
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Deletes a record by its key columns. One that the source has, or may just be getting, stays as pending_delete until a
-- push has deleted it there; any other goes at once. Returns whether there was one. Raises JR010, JR011, and JR016 also for
-- a record that the source has given where no job file pushes: it would come back.
-- Locks the job before the row, as a page does.
declare
  v_known jsonb := jobrunner.writable_table(in_table, in_key);
  v_user_id bigint := (jobrunner.user_named(in_tenant, coalesce(in_user, '*'))).id;
  v_missing text;
  v_stays text := 'false';
  v_is_sources boolean;
  v_count integer;
  v_deletes text;
begin
  select k.name into v_missing
  from jsonb_array_elements_text(v_known -> 'key') as k (name) where in_key ->> k.name is null;
  if found then
    raise exception 'a record of table ''%'' needs its key column ''%''', in_table, v_missing using errcode = 'JR016';
  end if;
  execute format(
    'select r.synced from synced.%1$I as r, jsonb_populate_record(null::synced.%1$I, $2) as v where %2$s',
    in_table, jobrunner.record_where(v_known -> 'key'))
  into v_is_sources using v_user_id, in_key;
  if v_is_sources is null then
    return false;
  end if;
  if v_is_sources and not (v_known ->> 'push')::boolean then
    perform jobrunner.refuse_lost_edit(in_table, v_known);
  end if;
  perform jobrunner.push_soon(v_user_id, in_table);
  if (v_known ->> 'sends_deletes')::boolean then
    -- Held, so that no run begins to send the row while it goes.
    v_stays := case
      when (
        select j.worker_id is not null from jobrunner.jobs as j
        where j.user_id = v_user_id and j.name = v_known ->> 'job'
        for share
      ) then 'true'
      else coalesce('(r.' || quote_ident(v_known ->> 'change_tag') || ' is not null or r.sent_hashes is not null)', 'true')
    end;
  end if;
  v_deletes := jobrunner.own_deletes('on');
  execute format(
    'delete from synced.%1$I as r using jsonb_populate_record(null::synced.%1$I, $2) as v where %2$s and not (%3$s)',
    in_table, jobrunner.record_where(v_known -> 'key'), v_stays)
  using v_user_id, in_key;
  get diagnostics v_count = row_count;
  perform jobrunner.own_deletes(v_deletes);
  if v_count = 0 and v_stays <> 'false' then
    execute format(
      'update synced.%1$I as r set synced = false, pending_delete = true%3$s
      from jsonb_populate_record(null::synced.%1$I, $2) as v where %2$s', in_table,
      jobrunner.record_where(v_known -> 'key'),
      (select string_agg(format(', %I = now()', s.name), '') from jsonb_array_elements_text(v_known -> 'stamps') as s (name)))
    using v_user_id, in_key;
    get diagnostics v_count = row_count;
  end if;
  return v_count > 0;
end
$$;
comment on function jobrunner.delete_record is 'Deletes a record here and, by a push, at the source.';
