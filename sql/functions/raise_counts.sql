create or replace function jobrunner.raise_counts(
  in_user_id bigint,
  in_source text,
  in_field text,
  in_records text[],
  in_seen bigint[],
  in_tags text[],
  in_refused text[]
) returns table (
  record text,
  number bigint,
  is_there boolean,
  is_first boolean
)
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- What a number in each of these records must be so that this user has raised it by one, once however often it is
-- asked; in a transaction that begins with hold_job. in_seen: what the records hold, in_tags: the tags of these
-- versions, over which the number is to be written. in_refused: records that have refused the only attempt over the
-- noted version. Noted before it is sent: of a number whose answer was lost the tag tells what became of it. While the
-- record has the tag, nothing did. Has it another, then somebody has written over that tag: one whose number is known
-- to have arrived, or else this user. So each version that was written over counts for one user, whoever asks first.
-- is_there: it has arrived. is_first: nothing of this user's was sent over that version before, so that a refusal of
-- what is sent now, once, says that nothing has arrived; else an earlier attempt may be why. number null and not there:
-- somebody else's is on its way over the same version; ask later. in_field: 'Recipe.saveCount'. Not for callers: runs.
#variable_conflict use_column
declare
  -- By then a run that wrote over the same version has ended.
  on_its_way constant interval := '1 hour';
  v_tenant_id bigint := (select u.tenant_id from jobrunner.users as u where u.id = in_user_id);
begin
  return query
    with asked as (
      select g.record, g.seen, g.tag, r.tag is distinct from g.tag as is_first, r.arrived_at is not null as has_arrived,
        r.tag is not null and r.tag <> g.tag and g.record <> all (in_refused) and g.seen >= r.number
          and not exists (
            select from jobrunner.raised_counts as o
            where o.tenant_id = v_tenant_id and o.source = in_source and o.field = in_field and o.record = g.record
              and o.tag = r.tag and o.user_id <> in_user_id and o.arrived_at is not null
          ) as may_be_there,
        exists (
          select from jobrunner.raised_counts as o
          where o.tenant_id = v_tenant_id and o.source = in_source and o.field = in_field and o.record = g.record
            and o.tag = r.tag and o.user_id <> in_user_id and o.arrived_at is null and o.noted_at > now() - on_its_way
        ) as is_disputed
      from unnest(in_records, in_seen, in_tags) as g (record, seen, tag)
      left join jobrunner.raised_counts as r
        on r.user_id = in_user_id and r.source = in_source and r.field = in_field and r.record = g.record
    ),
    noted as (
      insert into jobrunner.raised_counts as r (user_id, tenant_id, source, field, record, tag, number, arrived_at)
      select in_user_id, v_tenant_id, in_source, in_field, a.record, a.tag, a.seen + 1, null
      from asked as a
      where not a.has_arrived and not a.may_be_there
      on conflict (user_id, source, field, record) do update
      set tag = excluded.tag, number = excluded.number, noted_at = now()
    ),
    arrived as (
      update jobrunner.raised_counts as r
      set arrived_at = now()
      from asked as a
      where a.may_be_there and not a.is_disputed and not a.has_arrived
        and r.user_id = in_user_id and r.source = in_source and r.field = in_field and r.record = a.record
    )
    select a.record, case when not a.has_arrived and not a.may_be_there then a.seen + 1 end,
      a.has_arrived or a.may_be_there and not a.is_disputed, a.is_first
    from asked as a;
end
$$;
comment on function jobrunner.raise_counts is 'What numbers at a source must be so that a user has raised each by one. Not for callers: runs.';
