create or replace function jobrunner.sweep_table(
  in_user_id bigint,
  in_name text,
  in_entity text,
  in_pass_number integer,
  in_sweep jsonb
) returns table (
  swept bigint,
  verdict text
)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- An absence is proven where two full passes in a row, each read to its end, showed a row of the entity's own in none
-- of their pages, and no page between them did: such rows are deleted and counted (invariant 6).
-- A row that is lacking for the first time is only noted: a list that shifts while it is read, or a source that is not
-- well, shows it again. A pass that was not read to its end is no look, but what it showed is not lacking in a row. Own
-- is what a pass of the entity has shown or added, and what a push of it got a change tag for.
-- in_sweep: {table, key: [column], identity: [column], item, change_tag, is_pushed, is_repair, max_fraction,
-- may_lack_all, at_once, asks_again, confirms, declaration}:
--   identity     the columns by which pages noted their records
--   item         of an entity with for_each, the texts of the item's columns, by their names: no other rows are looked
--                at, so that a record which moved to another item is not lacking; null: all rows of the user are
--   change_tag   the column of it; null: there is none
--   is_repair    each row that was not shown loses its tag, so that it is sent as a new one, and none is deleted
--   max_fraction if more of the user's rows would go, nothing is deleted; null: there is no such limit
--   may_lack_all that every row is lacking is nothing to be told: the item is none any more
--   at_once      a row goes that is lacking for the first time
--   asks_again   the entity reads no full pass by itself: one is asked for where rows are lacking for the first time
--   confirms     the source is asked for each row that is lacking (lacking_rows, delete_confirmed); here none is
--                deleted. Rows that the full pass before lacked too are noted apart, for what is asked where a pass has
--                shown nothing at all
--   declaration  stands for what the job file says of the entity (set_trouble)
-- Unsent edits are never deleted: where two passes did not show their record, they lose its tag, so that they are sent
-- as new ones. What happens to a row is decided as it is locked, so that an edit that was open when the sweep began is
-- seen. Called in the page's transaction. Returns in verdict what waits for a person now; null: nothing.
-- Not for callers: runs.
declare
  v_found record;
  v_looks_again boolean;
  v_troubles jsonb;
begin
  execute jobrunner.sweep_statement(in_sweep) into v_found
  using in_user_id, in_name, in_entity, in_pass_number, (in_sweep ->> 'max_fraction')::double precision,
    (in_sweep ->> 'is_repair')::boolean and (in_sweep ->> 'is_pushed')::boolean
      and in_sweep ->> 'change_tag' is not null,
    (in_sweep ->> 'confirms')::boolean;
  swept := v_found.swept;

  -- What was lacking is all that is kept of the passes before.
  delete from jobrunner.seen_pages as p
  where p.user_id = in_user_id and p.job_name = in_name and p.entity = in_entity and p.pass_number < in_pass_number;
  insert into jobrunner.seen_pages (user_id, job_name, entity, pass_number, page_number, keys)
  select in_user_id, in_name, in_entity, in_pass_number, n.page_number, n.keys
  from (values (0, v_found.lacking), (-1, v_found.again)) as n (page_number, keys)
  where n.keys <> '{}';

  v_looks_again := v_found.lacking <> '{}'
    and (not (in_sweep ->> 'confirms')::boolean or v_found.again = '{}' and not exists (
    select from jobrunner.seen_pages as p
    where p.user_id = in_user_id and p.job_name = in_name and p.entity = in_entity and p.page_number > 0
      and p.keys <> '{}'
  ));
  verdict := case
    when v_found.refused then 'sweep_refused'
    when v_looks_again and v_found.stored > 10 and cardinality(v_found.lacking) = v_found.stored
      and not (in_sweep ->> 'may_lack_all')::boolean then 'sweep_held'
  end;
  update jobrunner.checkpoints as k
  set counters.swept = (k.counters).swept + sweep_table.swept,
    -- A row that went may have kept another record from its key.
    full_asked = k.full_asked + (
      ((in_sweep ->> 'asks_again')::boolean and v_looks_again and not v_found.refused or k.has_shared_keys
        and sweep_table.swept > 0)
      and k.full_asked < 2147483647
    )::integer,
    -- "Nothing has changed" would be no second look, and would ask the source for no record that it lacks.
    validator = case when v_found.lacking = '{}' then k.validator end,
    probe = case when v_found.lacking = '{}' then k.probe end
  where k.user_id = in_user_id and k.job_name = in_name and k.entity = in_entity
  returning k.troubles into v_troubles;
  if verdict is not null or v_troubles ?| array['sweep_refused', 'sweep_held'] then
    perform jobrunner.set_trouble(
      in_user_id, in_name, in_entity, t.kind, case when t.kind = verdict then t.error end,
        (in_sweep ->> 'declaration')::bigint)
    from (values
      ('sweep_refused', format(
        'two full passes lacked %s of %s rows, more than max_fraction %s; none was deleted', v_found.gone, v_found.stored,
        in_sweep ->> 'max_fraction'
      )),
      ('sweep_held', format('the full pass showed none of %s rows; they go if the next one shows none of them either',
        v_found.stored))
    ) as t (kind, error);
  end if;
  return next;
end
$$;
comment on function jobrunner.sweep_table is 'Deletes rows that two full passes in a row did not show. Not for callers: runs.';
