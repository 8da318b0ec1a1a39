create or replace function jobrunner.changes_since(
  in_tenant text,
  in_table text,
  in_user text default null,
  in_cursor text default null,
  in_limit bigint default 1000
) returns table (
  change text,
  user_key text,
  key jsonb,
  "row" jsonb,
  cursor text,
  epoch uuid
)
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- What became of a table's rows behind a cursor, each record once, with the row as it is now: upsert or delete, by the
-- number of its change. Null, a cursor of another epoch, and one of what is not kept any more are answered by a row
-- begin, and then by the present rows; what changes meanwhile follows. Nothing new: no row, and nothing is written or
-- locked. At most in_limit rows, and never more than 10,000; fewer do not mean that no more follow.
-- Raises JR010, JR011, JR016, JR017, 25006 in a transaction that may only read, and 40001 at repeatable read. Whoever
-- gives numbers keeps the turn of the tenant and table until its transaction ends; others read what has a number.
declare
  v_tenant jobrunner.tenants := jobrunner.tenant_named(in_tenant);
  v_user_key text := case when in_user is not null then (jobrunner.user_named(in_tenant, in_user)).key end;
  v_table jobrunner.synced_tables;
  v_limit integer := least(coalesce(in_limit, 1000), 10000);
  v_scope text := left(encode(sha256(convert_to(
    jsonb_build_array(in_tenant, in_table, in_user)::text, 'UTF8')), 'hex'), 16);
  v_from record;
  v_begins boolean := in_cursor is null;
  v_number bigint;
  v_place jsonb;
begin
  if v_limit < 1 then
    raise exception 'the limit is %, and must be 1 at least', in_limit using errcode = 'JR017';
  end if;
  -- Where every reader could only read, nothing would ever get a number.
  if current_setting('transaction_read_only')::boolean then
    raise exception 'changes_since gives numbers to changes, and this transaction may only read'
      using errcode = '25006', hint = 'Call it on the primary server, in a transaction that is not read only.';
  end if;
  v_table := jobrunner.told_table(in_table);
  epoch := jobrunner.epoch_of_changes(v_tenant.id, v_table);

  if not v_begins then
    select c.* into v_from from jobrunner.read_cursor(in_cursor, v_scope, in_table) as c;
    -- A number that was never drawn: the server's files were set back beneath it.
    v_begins := v_from.epoch <> epoch or v_from.number > (select s.last_value from jobrunner.change_numbers as s);
  end if;
  if not v_begins then
    if v_from.place is not null then
      return query
      select 'upsert', p.user_key, p.key, p.row, jobrunner.cursor_of_changes(changes_since.epoch, v_scope, v_from.number,
          case when not p.is_last then jsonb_build_array(p.user_key, p.key) end), changes_since.epoch
      from jobrunner.present_rows(v_tenant.id, in_table, v_table.told, v_user_key, v_from.place, v_limit) as p;
      if found then
        return;
      end if;
    end if;
    perform jobrunner.number_changes(v_tenant.id, in_table, v_user_key, v_from.number, v_limit);
    return query
    select case when r.row is null then 'delete' else 'upsert' end, r.user_key, r.key, r.row,
      jobrunner.cursor_of_changes(changes_since.epoch, v_scope, r.number), changes_since.epoch
    from jobrunner.rows_since(v_tenant.id, in_table, v_table.told, v_user_key, v_from.number, v_limit) as r;
    if found then
      return;
    end if;
    v_begins := v_from.number < (
      select f.floor from jobrunner.change_floors as f where f.tenant_id = v_tenant.id and f.table_name = in_table
    );
  end if;
  if v_begins is not true then
    return;
  end if;

  -- Whatever has a number of this snapshot is in the rows that are read from now on.
  v_number := greatest(
    (select t.last_number from jobrunner.change_turns as t where t.tenant_id = v_tenant.id and t.table_name = in_table),
    (select f.floor from jobrunner.change_floors as f where f.tenant_id = v_tenant.id and f.table_name = in_table), 0);
  if exists (select from jobrunner.present_rows(v_tenant.id, in_table, v_table.told, v_user_key, '[]', 1)) then
    v_place := '[]';
  end if;
  change := 'begin';
  cursor := jobrunner.cursor_of_changes(epoch, v_scope, v_number, v_place);
  return next;
  if v_limit > 1 and v_place is not null then
    return query
    select 'upsert', p.user_key, p.key, p.row, jobrunner.cursor_of_changes(changes_since.epoch, v_scope, v_number,
        case when not p.is_last then jsonb_build_array(p.user_key, p.key) end), changes_since.epoch
    from jobrunner.present_rows(v_tenant.id, in_table, v_table.told, v_user_key, v_place, v_limit - 1) as p;
  end if;
end
$$;
comment on function jobrunner.changes_since is 'Tells an application which rows of a synced table changed since a cursor.';
