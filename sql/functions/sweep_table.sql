create or replace function jobrunner.sweep_table(
  in_user_id bigint,
  in_name text,
  in_entity text,
  in_table text,
  in_key text[],
  in_change_tag text,
  in_is_pushed boolean,
  in_is_repair boolean,
  in_max_fraction double precision
) returns table (
  swept bigint,
  refused boolean
)
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Deletes what a full pass, read to its end, did not show, and counts it (invariant 6). If that is more than in_max_fraction of the
-- user's rows nothing is deleted, and the checkpoint says so.
-- Unsent edits are never deleted: where the pass did not show their record, they lose its tag, so that they are sent as new
-- ones. A repair does that to every row instead (LU21, LU22). in_change_tag: null without one.
-- What happens to a row is decided as it is locked, so that an edit that was open when the sweep began is seen.
-- Called in the page's transaction. Not for callers: runs.
declare
  v_is_repair boolean := in_is_repair and in_is_pushed and in_change_tag is not null;
  v_kept text := case when in_is_pushed then ' and not t.pending_delete' else '' end;
  v_goes text := case when v_is_repair then 'false' else 't.synced' || v_kept end;
  v_loses_tag text := case
    when in_is_pushed and in_change_tag is not null
      then format('t.%I is not null%s%s', in_change_tag, case when v_is_repair then '' else ' and not t.synced' end, v_kept)
    else 'false'
  end;
  v_columns text := (select string_agg(format('t.%I', k.name), ', ' order by k.place) from unnest(in_key) with ordinality as k (name, place));
  v_texts text := (select string_agg(format('t.%I::text', k.name), ', ' order by k.place) from unnest(in_key) with ordinality as k (name, place));
  v_same text := (select string_agg(format('t.%1$I = g.%1$I', k.name), ' and ') from unnest(in_key) as k (name));
  v_untags text := case
    when v_loses_tag = 'false' then ''
    else format(
      ', untagged as (
        update synced.%I as t set %I = null, synced = false
        from gone as g
        where t.user_id = $1 and %s and g."Loses tag" and not (select s.refused from share as s)
      )', in_table, in_change_tag, v_same)
  end;
  v_gone bigint;
  v_stored bigint;
begin
  execute format(
    'with shown as materialized (
      select distinct unnest(p.keys) as hash
      from jobrunner.seen_pages as p
      where p.user_id = $1 and p.job_name = $2 and p.entity = $3
    ), gone as materialized (
      select %2$s, %4$s as "Goes", %5$s as "Loses tag"
      from synced.%1$I as t
      where t.user_id = $1 and (%4$s or %5$s)
        and not exists (select from shown where shown.hash = jobrunner.key_hash(%3$s))
      order by %2$s
      for update of t
    ), share as materialized (
      select c.gone, c.stored, c.gone > $4 * c.stored as refused
      from (
        select (select count(*) from gone as g where g."Goes") as gone,
          (select count(*) from synced.%1$I as t where t.user_id = $1) as stored
      ) as c
    ), swept as (
      delete from synced.%1$I as t using gone as g
      where t.user_id = $1 and %6$s and g."Goes" and not (select s.refused from share as s)
      returning true
    )%7$s
    select s.gone, s.stored, s.refused, (select count(*) from swept) from share as s',
    in_table, v_columns, v_texts, v_goes, v_loses_tag, v_same, v_untags)
  into v_gone, v_stored, refused, swept
  using in_user_id, in_name, in_entity, in_max_fraction;

  delete from jobrunner.seen_pages as p
  where p.user_id = in_user_id and p.job_name = in_name and p.entity = in_entity;
  update jobrunner.checkpoints as k
  set counters.swept = (k.counters).swept + sweep_table.swept,
    last_error_kind = case when refused then 'sweep_refused' end,
    last_error = case
      when refused
        then format('the full pass lacked %s of %s rows, more than max_fraction %s; none was deleted', v_gone, v_stored,
          in_max_fraction)
    end,
    last_error_at = case when refused then now() end
  where k.user_id = in_user_id and k.job_name = in_name and k.entity = in_entity;
  return next;
end
$$;
comment on function jobrunner.sweep_table is 'Deletes rows that a full pass did not show. Not for callers: runs.';
