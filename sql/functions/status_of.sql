create or replace function jobrunner.status_of(
  in_tenant text,
  in_user text
) returns table (
  job text,
  state text,
  entity text,
  pass text,
  page integer,
  "rows" bigint,
  last_complete_at timestamptz,
  due_at timestamptz,
  why text,
  needs text,
  tells text
)
language plpgsql stable
security definer
set search_path = pg_catalog, pg_temp
as $$
-- How it is with a user's data, for a page of an application's settings: a row for each entity of each of the user's
-- jobs. rows is what is stored of the entity, counted up to 100,000. why is explain_job's sentence. needs says who can
-- help: secret (the user signs in again), user (who makes room at the source), retry, resume, repair (an operator by
-- that command; a repair only where the user wants it). Or it says operator (who keeps the tenant's own secrets, the
-- job files and the key: no user can help); null: nobody need. tells is what an application can show to its user, the
-- sentences of kinds_of_trouble and that edits of the last day gave way; null: nothing.
-- Raises JR010, JR011.
declare
  most constant integer := 100000;
  v_user jobrunner.users := jobrunner.user_named(in_tenant, coalesce(in_user, '*'));
  v_found record;
begin
  for v_found in
    select j.name, j.last_outcome, j.last_error_kind, case when j.state = 'waiting' and j.due_at <= now() then 'due'
      else j.state end as state,
      coalesce(j.next_due_at, j.due_at) as due_at, e.value ->> 'entity' as entity,
        e.value -> 'write' ->> 'table' as table_name,
      k.pass_kind, k.page_number,
      case
        when e.value ? 'for_each' then j.last_success_at
        when k.last_synced_at is not null then greatest(k.last_synced_at, j.unchanged_at)
      end as read_at,
      x.why,
      w.needs, w.tells, (
        select sum((r.entities -> (e.value ->> 'entity') ->> 'edits_lost')::bigint)
        from jobrunner.runs as r
        where r.user_id = j.user_id and r.job_name = j.name and r.ended_at > now() - interval '1 day'
      ) as edits_lost
    from jobrunner.jobs as j
    -- Once for each job, however many entities it has.
    cross join lateral (select jobrunner.explain_job(in_tenant, in_user, j.name) as why offset 0) as x
    join jobrunner.job_files as f on f.name = j.name
    left join lateral jsonb_array_elements(f.expanded -> 'entities') with ordinality as e (value, place)
      on e.value ->> 'enabled' is distinct from 'false'
    left join jobrunner.checkpoints as k
      on k.user_id = j.user_id and k.job_name = j.name and k.entity = e.value ->> 'entity'
    cross join lateral (
      select min(t.needs) as needs, string_agg(t.tells, ' ' order by t.kind) as tells
      from jobrunner.checkpoints as c
      cross join lateral jsonb_object_keys(c.troubles) as s (kind)
      join jobrunner.kinds_of_trouble as t on t.kind = s.kind
      where c.user_id = j.user_id and c.job_name = j.name and split_part(c.entity, '#', 1) = e.value ->> 'entity'
    ) as w
    where j.user_id = v_user.id
    order by j.name, e.place
  loop
    job := v_found.name;
    state := v_found.state;
    entity := v_found.entity;
    pass := v_found.pass_kind;
    page := case when pass is not null then v_found.page_number end;
    last_complete_at := v_found.read_at;
    due_at := v_found.due_at;
    why := v_found.why;
    needs := case
      when state = 'quarantined' then 'retry'
      when state = 'paused' then 'resume'
      when state = 'running' then null
      when v_found.last_outcome in ('failed', 'deferred', 'needs_reauth')
        and v_found.last_error_kind in ('client_refused', 'no_key')
        then 'operator'
      when state = 'needs_reauth' and v_user.stands_for_tenant then 'operator'
      when state = 'needs_reauth' then 'secret'
      else v_found.needs
    end;
    tells := nullif(concat_ws(' ',
      case when needs = 'secret'
        then (select t.tells from jobrunner.kinds_of_trouble as t where t.kind = 'needs_reauth') end,
      v_found.tells,
      case when v_found.edits_lost > 0
        then format('%s of your changes here in the last day gave way to newer ones.', v_found.edits_lost) end
    ), '');
    "rows" := null;
    if exists (select from jobrunner.synced_tables as s where s.name = v_found.table_name) then
      execute format(
        'select count(*) from (select from synced.%I as r where r.user_id = $1 limit %s) as r', v_found.table_name, most)
      into "rows" using v_user.id;
    end if;
    return next;
  end loop;
end
$$;
comment on function jobrunner.status_of is 'How it is with a user''s data, entity by entity, and who can help.';
