create or replace function jobrunner.set_trouble(
  in_user_id bigint,
  in_name text,
  in_entity text,
  in_kind text,
  in_error text,
  in_declaration bigint default null
) returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Notes a trouble of an entity that waits for a person or, without an error, that it is over. It stands apart from the
-- failure of the last run: no good page and no complete run ends it, but only what shows that it is over. New words
-- keep its since. in_kind: one of view kinds_of_trouble. in_declaration: stands for what the job file said of the
-- entity; under another one a run looks again (StandingTroubles). Tells of the beginning and of the end where the job
-- file asks for it. In a transaction that has locked the job. Returns whether it began or ended. Not for callers: runs.
declare
  v_before jsonb;
  v_after jsonb := case
    when in_error is not null then jsonb_strip_nulls(
      jsonb_build_object('error', left(in_error, 1000), 'since', now(), 'declaration', in_declaration)
    )
  end;
begin
  select k.troubles into v_before
  from jobrunner.checkpoints as k
  where k.user_id = in_user_id and k.job_name = in_name and k.entity = in_entity
  for no key update;
  if not found and in_error is not null then
    insert into jobrunner.checkpoints (user_id, job_name, entity, tenant_id)
    select j.user_id, j.name, in_entity, j.tenant_id from jobrunner.jobs as j where j.user_id = in_user_id
      and j.name = in_name;
  end if;
  if v_before ? in_kind then
    v_after := v_after || jsonb_build_object('since', v_before #> array[in_kind, 'since']);
  end if;
  if v_after is not distinct from v_before -> in_kind then
    return false;
  end if;
  update jobrunner.checkpoints as k
  set troubles = nullif(
      case when v_after is null then v_before - in_kind
        else coalesce(v_before, '{}') || jsonb_build_object(in_kind, v_after) end, '{}')
  where k.user_id = in_user_id and k.job_name = in_name and k.entity = in_entity;
  if v_after is not null and v_before ? in_kind then
    return false;
  end if;
  if jobrunner.tells_of('trouble') then
    perform jobrunner.tell_events(
      case when v_after is null then 'trouble_ended' else 'trouble_began' end, array[j.user_id], array[j.name],
        array[j.fence],
      in_entity, array[jsonb_strip_nulls(jsonb_build_object('error_kind', in_kind, 'error', v_after ->> 'error'))])
    from jobrunner.jobs as j
    where j.user_id = in_user_id and j.name = in_name;
  end if;
  return true;
end
$$;
comment on function jobrunner.set_trouble is 'Notes a trouble of an entity that waits for a person, or its end. Not for callers: runs.';
