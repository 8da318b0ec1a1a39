create or replace function jobrunner.tell_changes() returns trigger
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
set extra_float_digits = 1
set jit = off
as $$
-- Trigger of the tables whose changes are told: one statement's rows, whoever wrote it, each by its key. Without a
-- number: a reader gives it after the commit (number_changes). A row that waits for its deletion is gone for
-- applications, and an update that changes nothing they read tells nothing. Time zone and digits are fixed, so that a
-- key has one text whoever writes. Returns null. It acts as the owner: who may write the table need know nothing of
-- schema jobrunner. Not for callers: a trigger.
declare
  v_known jsonb;
  v_waits boolean;
begin
  -- PostgreSQL also calls it for a statement that changed no row.
  if tg_op = 'INSERT' then
    if not exists (select from made) then
      return null;
    end if;
  elsif not exists (select from gone) then
    return null;
  end if;
  v_known := (select s.told from jobrunner.synced_tables as s where s.name = tg_table_name::text);
  if v_known is null then
    return null;
  end if;
  v_waits := v_known ->> 'waits';
  execute format(
    'with changed as materialized (%s)
    insert into jobrunner.changes (tenant_id, table_name, user_key, key)
    select u.tenant_id, $1, u.key, c.key
    from changed as c
    join (
      select * from jobrunner.users where id = any (array(select distinct c.user_id from changed as c))
    ) as u on u.id = c.user_id',
    case
      when tg_op = 'UPDATE' then jobrunner.changed_keys(v_known)
      else format('select r.user_id, %s as key from %I as r%s', jobrunner.told_columns(v_known -> 'key'),
        case tg_op when 'INSERT' then 'made' else 'gone' end,
        case when v_waits then ' where not r.pending_delete' else '' end)
    end)
  using tg_table_name;
  return null;
end
$$;
comment on function jobrunner.tell_changes is 'Notes which rows of a synced table changed, for changes_since. Not for callers: a trigger.';
