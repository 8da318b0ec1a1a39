create or replace function jobrunner.events_since(
  in_tenant text,
  in_cursor text default null,
  in_limit bigint default 1000
) returns table (
  kind text,
  at timestamptz,
  user_key text,
  job text,
  entity text,
  run bigint,
  detail jsonb,
  cursor text,
  epoch uuid
)
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- What a tenant's application is told of runs behind a cursor, in the order in which readers came to it: each event
-- once, none is missing, and no open transaction of anybody keeps others back. Null, a cursor of another epoch, and one
-- of what is not kept any more are answered by a row begin, and then by all events that are kept. Nothing new: no row.
-- At most in_limit rows, and never more than 10,000; fewer do not mean that no more follow.
-- Raises JR010, JR017, 25006 in a transaction that may only read, and 40001 at repeatable read.
declare
  v_tenant_id bigint := (jobrunner.tenant_named(in_tenant)).id;
  v_limit integer := least(coalesce(in_limit, 1000), 10000);
  v_scope text := left(encode(sha256(convert_to(jsonb_build_array(in_tenant, 'events')::text, 'UTF8')), 'hex'), 16);
  v_floor jobrunner.change_floors;
  v_from record;
  v_number bigint;
begin
  if v_limit < 1 then
    raise exception 'the limit is %, and must be 1 at least', in_limit using errcode = 'JR017';
  end if;
  if current_setting('transaction_read_only')::boolean then
    raise exception 'events_since gives numbers to events, and this transaction may only read'
      using errcode = '25006', hint = 'Call it on the primary server, in a transaction that is not read only.';
  end if;
  select f.* into v_floor from jobrunner.change_floors as f where f.tenant_id = v_tenant_id and f.table_name = '';
  epoch := jobrunner.server_epoch(jsonb_build_array('events', v_tenant_id, coalesce(v_floor.unread, 0)));
  if in_cursor is not null then
    select c.* into v_from from jobrunner.read_cursor(in_cursor, v_scope, null) as c;
    if v_from.epoch = epoch and v_from.number >= coalesce(v_floor.floor, 0)
      and v_from.number <= (select s.last_value from jobrunner.change_numbers as s)
    then
      v_number := v_from.number;
    end if;
  end if;
  if v_number is null then
    v_number := coalesce(v_floor.floor, 0);
    kind := 'begin';
    at := now();
    cursor := jobrunner.cursor_of_changes(epoch, v_scope, v_number);
    v_limit := v_limit - 1;
    return next;
  end if;
  if v_limit = 0 then
    return;
  end if;
  perform jobrunner.number_events(v_tenant_id, v_number, v_limit);
  -- What is too old may go at any moment: the same statement asks whether it has.
  return query
    select e.kind, e.at, u.key, e.job_name, e.entity, e.run, e.detail,
      jobrunner.cursor_of_changes(events_since.epoch, v_scope, e.number), events_since.epoch
    from (
      select o.* from jobrunner.events as o
      where o.tenant_id = v_tenant_id and o.number > v_number and v_number >= coalesce((
          select f.floor from jobrunner.change_floors as f where f.tenant_id = v_tenant_id and f.table_name = ''), 0)
      order by o.number
      limit v_limit
    ) as e
    join jobrunner.users as u on u.id = e.user_id
    order by e.number;
end
$$;
comment on function jobrunner.events_since is 'Tells an application what happened to its users'' runs since a cursor.';
