create or replace function jobrunner.store_ended_passes(
  in_ends jobrunner.run_end[]
) returns bigint[]
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Ends passes whose last page had nothing to write, of runs whose jobs are locked. Each must follow the page it names,
-- and the pass before it where it has none. Returns the fences of runs with one that does not, which is dropped. An
-- entity that failed afterwards keeps its count of failures. Not for callers: finish_runs.
declare
  v_fences bigint[];
begin
  with ended as materialized (
    select e.fence, e.failures, j.user_id, j.name, j.tenant_id, n.entity, p.generation, p.watermark, p.sync_token,
      p.validator,
      p.probe, p.asked,
      case when p.pass_kind = 'full'
        then to_timestamp((n.position ->> 'pass_started_us')::bigint / 1000000.0) end as full_at,
      coalesce(k.generation, 0) = p.generation
        and coalesce(k.pass_number, 0) = p.pass_number - (p.page_number = 0)::integer
        and (p.page_number = 0 or k.page_number = p.page_number) as follows
    from unnest(in_ends) as e
    join jobrunner.jobs as j on j.user_id = e.user_id and j.name = e.name
    cross join lateral jsonb_to_recordset(e.ended_passes)
      as n (entity text, position jsonb)
    cross join lateral jsonb_populate_record(null::jobrunner.checkpoints, n.position) as p
    left join jobrunner.checkpoints as k on k.user_id = j.user_id and k.job_name = j.name and k.entity = n.entity
  ), noted as (
    insert into jobrunner.checkpoints as k (
      user_id, job_name, entity, tenant_id, generation, sync_token, watermark, validator, probe, last_full_at,
      full_by_other_file, last_synced_at, asked
    )
    select p.user_id, p.name, p.entity, p.tenant_id, p.generation, p.sync_token, p.watermark, p.validator, p.probe,
      p.full_at, p.full_at is not null and jobrunner.has_other_file(p.user_id, p.name), now(), p.asked
    from ended as p
    where p.follows
    on conflict (user_id, job_name, entity) do update
    set pass_kind = null,
      pass_started_at = null,
      pass_since = null,
      cursor = null,
      partial_watermark = null,
      sync_token = excluded.sync_token,
      watermark = case when excluded.last_full_at is not null then excluded.watermark
        else coalesce(excluded.watermark, k.watermark) end,
      pass_is_whole = true,
      pass_probe = null,
      validator = excluded.validator,
      probe = excluded.probe,
      asked = excluded.asked,
      last_full_at = coalesce(excluded.last_full_at, k.last_full_at),
      full_by_other_file = case when excluded.last_full_at is not null then excluded.full_by_other_file
        else k.full_by_other_file end,
      last_synced_at = excluded.last_synced_at,
      consecutive_failures = case
        when exists (
          select
          from ended as p
          cross join lateral jsonb_to_recordset(p.failures) as f (entity text)
          where p.user_id = k.user_id and p.name = k.job_name and f.entity = k.entity
        ) then k.consecutive_failures
        else 0
      end,
      last_error_kind = null,
      last_error = null,
      last_error_at = null,
      skipped_since = null,
      skip_reason = null
  )
  select coalesce(array_agg(distinct p.fence), '{}') into v_fences from ended as p where not p.follows;
  return v_fences;
end
$$;
comment on function jobrunner.store_ended_passes is 'Ends passes that came with an outcome. Not for callers: finish_runs.';
