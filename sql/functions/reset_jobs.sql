create or replace function jobrunner.reset_jobs(
  in_tenant text,
  in_user text default null,
  in_job text default null,
  in_entity text default null
) returns integer
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Forgets checkpoints (and, without an entity, what calls remember), so that the next run reads everything
-- again; rows in synced tables stay. A pass in progress can't write any more: its generation is over. Requests for full
-- passes and repairs stay.
-- Returns how many checkpoints were cleared.
declare
  v_count integer;
begin
  update jobrunner.checkpoints as k
  set generation = k.generation + 1,
    pass_kind = null,
    pass_started_at = null,
    pass_since = null,
    page_number = 0,
    cursor = null,
    sync_token = null,
    partial_watermark = null,
    watermark = null,
    pass_is_whole = true,
    last_full_at = null,
    pass_probe = null,
    validator = null,
    probe = null
  from jobrunner.jobs_named(in_tenant, in_user, in_job) as named
  where k.user_id = named.user_id and k.job_name = named.name
    and (in_entity is null or split_part(k.entity, '#', 1) = in_entity);
  get diagnostics v_count = row_count;
  if in_entity is null then
    delete from jobrunner.call_memory as m
    using jobrunner.jobs_named(in_tenant, in_user, in_job) as named
    where m.user_id = named.user_id and m.job_name = named.name;
  end if;
  perform jobrunner.note_act('reset_jobs', in_job, jsonb_build_object('entity', in_entity, 'checkpoints', v_count),
    in_tenant, in_user);
  return v_count;
end
$$;
comment on function jobrunner.reset_jobs is 'Forgets how far jobs have come, so that the next run is full.';
