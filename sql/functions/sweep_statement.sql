create or replace function jobrunner.sweep_statement(
  in_sweep jsonb
) returns text
language plpgsql immutable
set search_path = pg_catalog, pg_temp
as $$
-- The statement by which sweep_table judges the rows that a full pass did not show; in_sweep as there. Its holes are
-- filled with what the table and its columns are called, and with what a row must be like to go or to lose its tag.
-- Binds: the user, the job, the entity, the pass's number, the greatest fraction, whether it is a repair, and whether
-- the source is asked for each row. Not for callers: sweep_table.
declare
  v_tag text := case when (in_sweep ->> 'is_pushed')::boolean then in_sweep ->> 'change_tag' end;
  v_is_repair boolean := (in_sweep ->> 'is_repair')::boolean and v_tag is not null;
  -- A row whose deletion is not sent yet is the push's.
  v_kept text := case when (in_sweep ->> 'is_pushed')::boolean then ' and not t.pending_delete' else '' end;
  v_holes jsonb := (
    select jsonb_build_object(
      '{table}', format('synced.%I', in_sweep ->> 'table'),
      '{key}', string_agg(format('t.%I', k.name), ', ' order by k.number),
      '{hash}', (
        select format('jobrunner.key_hash(%s)', string_agg(format('t.%I::text', i.name), ', ' order by i.number))
        from jsonb_array_elements_text(in_sweep -> 'identity') with ordinality as i (name, number)
      ),
      '{same}', string_agg(format('t.%1$I = g.%1$I', k.name), ' and ' order by k.number),
      '{confirmed}', case
        when (in_sweep ->> 'at_once')::boolean and not (in_sweep ->> 'confirms')::boolean then 'true'
        else 'r."Hash" in (select m.hash from missed as m) and not $7 or $6'
      end,
      '{has tag}', coalesce('t.' || quote_ident(v_tag) || ' is not null', 'false'),
      '{goes}', case when v_is_repair then 'false' else 't.synced' || v_kept end,
      '{loses tag}', coalesce(
        't.' || quote_ident(v_tag) || ' is not null' || case when v_is_repair then '' else ' and not t.synced' end || v_kept, 'false'
      )
    )
    from jsonb_array_elements_text(in_sweep -> 'key') with ordinality as k (name, number)
  );
  v_item text := coalesce((
    select string_agg(format(' and t.%I::text = %L', i.key, i.value), '' order by i.key)
    from jsonb_each_text(nullif(in_sweep -> 'item', 'null')) as i
  ), '');
  v_statement text := '
    with pages as materialized (
      select p.pass_number, p.page_number, p.keys
      from jobrunner.seen_pages as p
      where p.user_id = $1 and p.job_name = $2 and p.entity = $3
    ), shown as materialized (
      select distinct unnest(p.keys) as hash from pages as p where p.pass_number = $4
    ), own as materialized (
      select distinct unnest(p.keys) as hash from pages as p where p.pass_number < $4
    ), missed as materialized (
      -- What the full pass before lacked, and no page has shown since.
      select unnest(p.keys) as hash from pages as p where p.pass_number < $4 and p.page_number = 0
      except
      select unnest(p.keys)
      from pages as p
      where p.pass_number < $4 and p.page_number > 0
        and p.pass_number > (select max(m.pass_number) from pages as m where m.pass_number < $4 and m.page_number = 0)
    ), gone as materialized (
      select r.*, r."Hash" in (select m.hash from missed as m) as "Again",
        {confirmed} as "Confirmed"
      from (
        select {key}, {hash} as "Hash", {goes} as "Goes", {loses tag} as "Loses tag"
        from {table} as t
        where t.user_id = $1{item} and ({goes} or {loses tag}) and {hash} not in (select s.hash from shown as s)
          and ({has tag} or $6 or {hash} in (select o.hash from own as o))
        order by {key}
        for update of t
      ) as r
    ), share as materialized (
      select c.gone, c.stored, coalesce(c.gone > $5 * c.stored, false) as refused
      from (
        select (select count(*) from gone as g where g."Goes" and g."Confirmed") as gone,
          (select count(*) from {table} as t where t.user_id = $1{item}) as stored
      ) as c
    ), swept as (
      delete from {table} as t using gone as g
      where t.user_id = $1 and {same} and g."Goes" and g."Confirmed" and not (select s.refused from share as s)
      returning true
    )';
  v_hole record;
begin
  if v_tag is not null then
    v_statement := v_statement || format(', untagged as (
      update {table} as t set %I = null, synced = false
      from gone as g
      where t.user_id = $1 and {same} and g."Loses tag" and g."Confirmed" and not (select s.refused from share as s)
    )', v_tag);
  end if;
  v_statement := v_statement || '
    select s.gone, s.stored, s.refused, (select count(*) from swept) as swept,
      array(select g."Hash" from gone as g where s.refused or not g."Confirmed") as lacking,
      array(select g."Hash" from gone as g where g."Again" and $7) as again
    from share as s';
  for v_hole in select h.key, h.value from jsonb_each_text(v_holes) as h loop
    v_statement := replace(v_statement, v_hole.key, v_hole.value);
  end loop;
  -- Last, for a source may have called an item as a hole is called.
  return replace(v_statement, '{item}', v_item);
end
$$;
comment on function jobrunner.sweep_statement is 'The statement by which a sweep judges rows. Not for callers: sweep_table.';
