create or replace function jobrunner.sweep_table(
  in_user_id bigint,
  in_name text,
  in_entity text,
  in_pass_number integer,
  in_table text,
  in_key text[],
  in_change_tag text,
  in_is_pushed boolean,
  in_is_repair boolean,
  in_max_fraction double precision,
  in_asks_again boolean,
  in_confirms boolean
) returns table (
  swept bigint,
  verdict text
)
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Ends a full pass that was read to its end: deletes the entity's own rows that neither it nor the full pass before showed,
-- and counts them (invariant 6). A row that is lacking for the first time is only noted: a list that shifts while it is read,
-- or a source that is not well, shows it again.
-- A pass that was not read to its end is no look, but what it showed is not lacking in a row.
-- Own is what a pass of the entity has shown or added, and what a push of it got a change tag for.
-- in_asks_again: the entity reads no full pass by itself, so that one is asked for where rows are lacking for the first time.
-- in_confirms: the source is asked for each row that is lacking (lacking_rows, delete_confirmed); here none is deleted. Rows
-- that the full pass before lacked too are noted apart, for what is asked where a pass has shown nothing at all.
-- If more than in_max_fraction of the user's rows would go, nothing is deleted; null: there is no such limit.
-- Unsent edits are never deleted: where two passes did not show their record, they lose its tag, so that they are sent as new
-- ones. A repair does that to every row at once, and deletes none. in_change_tag: null without one.
-- What happens to a row is decided as it is locked, so that an edit that was open when the sweep began is seen.
-- Called in the page's transaction. Returns in verdict why the checkpoint has an error now; null: it has none.
-- Not for callers: runs.
declare
  v_is_repair boolean := in_is_repair and in_is_pushed and in_change_tag is not null;
  v_kept text := case when in_is_pushed then ' and not t.pending_delete' else '' end;
  v_goes text := case when v_is_repair then 'false' else 't.synced' || v_kept end;
  v_has_tag text := case when in_is_pushed and in_change_tag is not null then format('t.%I is not null', in_change_tag) else 'false' end;
  v_loses_tag text := v_has_tag || case when v_is_repair then '' else ' and not t.synced' end || v_kept;
  v_columns text := (select string_agg(format('t.%I', k.name), ', ' order by k.number) from unnest(in_key) with ordinality as k (name, number));
  v_texts text := (select string_agg(format('t.%I::text', k.name), ', ' order by k.number) from unnest(in_key) with ordinality as k (name, number));
  v_same text := (select string_agg(format('t.%1$I = g.%1$I', k.name), ' and ') from unnest(in_key) as k (name));
  v_untags text := case
    when v_has_tag = 'false' then ''
    else format(
      ', untagged as (
        update synced.%I as t set %I = null, synced = false
        from gone as g
        where t.user_id = $1 and %s and g."Loses tag" and g."Confirmed" and not (select s.refused from share as s)
      )', in_table, in_change_tag, v_same)
  end;
  v_gone bigint;
  v_stored bigint;
  v_lacking bigint[];
  v_again bigint[];
  v_looks_again boolean;
  v_is_refused boolean;
begin
  execute format(
    'with pages as materialized (
      select p.pass_number, p.page_number, p.keys
      from jobrunner.seen_pages as p
      where p.user_id = $1 and p.job_name = $2 and p.entity = $3
    ), shown as materialized (
      select distinct unnest(p.keys) as hash from pages as p where p.pass_number = $5
    ), own as materialized (
      select distinct unnest(p.keys) as hash from pages as p where p.pass_number < $5
    ), missed as materialized (
      select unnest(p.keys) as hash from pages as p where p.pass_number < $5 and p.page_number = 0
      except
      select unnest(p.keys)
      from pages as p
      where p.pass_number < $5 and p.page_number > 0
        and p.pass_number > (select max(m.pass_number) from pages as m where m.pass_number < $5 and m.page_number = 0)
    ), gone as materialized (
      select r.*, r."Hash" in (select m.hash from missed as m) as "Again",
        r."Hash" in (select m.hash from missed as m) and not $7 or $6 as "Confirmed"
      from (
        select %2$s, jobrunner.key_hash(%3$s) as "Hash", %4$s as "Goes", %5$s as "Loses tag"
        from synced.%1$I as t
        where t.user_id = $1 and (%4$s or %5$s) and jobrunner.key_hash(%3$s) not in (select s.hash from shown as s)
          and (%8$s or $6 or jobrunner.key_hash(%3$s) in (select o.hash from own as o))
        order by %2$s
        for update of t
      ) as r
    ), share as materialized (
      select c.gone, c.stored, coalesce(c.gone > $4 * c.stored, false) as refused
      from (
        select (select count(*) from gone as g where g."Goes" and g."Confirmed") as gone,
          (select count(*) from synced.%1$I as t where t.user_id = $1) as stored
      ) as c
    ), swept as (
      delete from synced.%1$I as t using gone as g
      where t.user_id = $1 and %6$s and g."Goes" and g."Confirmed" and not (select s.refused from share as s)
      returning true
    )%7$s
    select s.gone, s.stored, s.refused, (select count(*) from swept),
      array(select g."Hash" from gone as g where s.refused or not g."Confirmed"),
      array(select g."Hash" from gone as g where g."Again" and $7)
    from share as s',
    in_table, v_columns, v_texts, v_goes, v_loses_tag, v_same, v_untags, v_has_tag)
  into v_gone, v_stored, v_is_refused, swept, v_lacking, v_again
  using in_user_id, in_name, in_entity, in_max_fraction, in_pass_number, v_is_repair, in_confirms;

  delete from jobrunner.seen_pages as p
  where p.user_id = in_user_id and p.job_name = in_name and p.entity = in_entity and p.pass_number < in_pass_number;
  insert into jobrunner.seen_pages (user_id, job_name, entity, pass_number, page_number, keys)
  select in_user_id, in_name, in_entity, in_pass_number, n.page_number, n.keys
  from (values (0, v_lacking), (-1, v_again)) as n (page_number, keys)
  where n.keys <> '{}';

  v_looks_again := v_lacking <> '{}' and (not in_confirms or v_again = '{}' and not exists (
    select from jobrunner.seen_pages as p
    where p.user_id = in_user_id and p.job_name = in_name and p.entity = in_entity and p.page_number > 0 and p.keys <> '{}'
  ));
  verdict := case
    when v_is_refused then 'sweep_refused'
    when v_looks_again and v_stored > 10 and cardinality(v_lacking) = v_stored then 'sweep_held'
  end;
  update jobrunner.checkpoints as k
  set counters.swept = (k.counters).swept + sweep_table.swept,
    full_asked = k.full_asked + (in_asks_again and v_looks_again and not v_is_refused and k.full_asked < 2147483647)::integer,
    -- "Nothing has changed" would be no second look.
    validator = case when not v_looks_again then k.validator end,
    probe = case when not v_looks_again then k.probe end,
    last_error_kind = verdict,
    last_error = case verdict
      when 'sweep_refused'
        then format('two full passes lacked %s of %s rows, more than max_fraction %s; none was deleted', v_gone, v_stored, in_max_fraction)
      when 'sweep_held'
        then format('the full pass showed none of %s rows; they go if the next one shows none of them either', v_stored)
    end,
    last_error_at = case when verdict is not null then now() end
  where k.user_id = in_user_id and k.job_name = in_name and k.entity = in_entity;
  return next;
end
$$;
comment on function jobrunner.sweep_table is 'Deletes rows that two full passes in a row did not show. Not for callers: runs.';
