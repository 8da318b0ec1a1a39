create or replace view jobrunner.checkpoint_inputs as
select k.user_id, k.job_name, k.entity, (
  select row_to_json(p)
  from (
    select k.entity, k.generation, k.pass_number, k.pass_kind, k.pass_since, k.page_number, k.cursor,
      k.sync_token,
      k.partial_watermark, k.watermark, k.pass_is_whole, k.pass_proves_absence, k.pass_unreadable, k.validator,
        k.probe,
      k.pass_probe, k.full_asked, k.asked, k.full_page, k.full_requested, k.repair_requested, k.unread,
        k.troubles,
      trunc(extract(epoch from k.pass_started_at) * 1000000) as pass_started_us,
      trunc(extract(epoch from k.last_synced_at) * 1000000) as last_synced_us,
      trunc(extract(epoch from k.last_full_at) * 1000000) as last_full_us,
      k.full_begun > k.full_ended as is_full_under_way,
      k.consecutive_failures > 0 or k.last_error_kind is not null as has_failures,
      k.last_error_kind = 'cursor_refused' as is_cursor_refused,
      k.skipped_since is not null as is_skipped,
      (k.counters).skipped_incompatible > 0 as had_incompatible,
      k.record_failures @> '[{"code": "AHEAD"}]' as knows_ahead,
      f.columns_changed <> '{}'
        and (k.last_full_at < (f.columns_changed #>> array[split_part(k.entity, '#', 1), 'at'])::timestamptz
          or k.full_by_other_file)
        and now() >= (f.columns_changed #>> array[split_part(k.entity, '#', 1),
          'at'])::timestamptz + jobrunner.phase_of(
          k.user_id, k.job_name, (f.columns_changed #>> array[split_part(k.entity, '#', 1), 'over'])::interval,
            true
        )
        -- A worker with another file would read everything and fill nothing.
        and not jobrunner.has_other_file(k.user_id, k.job_name) as is_column_due,
      case
        when k.pass_kind is not null then (
          select j.fruitless_runs from jobrunner.jobs as j where j.user_id = k.user_id and j.name = k.job_name
        )
      end as fruitless_runs
  ) as p
) as inputs
from jobrunner.checkpoints as k
join jobrunner.job_files as f on f.name = k.job_name;
comment on view jobrunner.checkpoint_inputs is 'What a run is given of each checkpoint. Not for readers: run_inputs, and runs of entities with for_each.';
comment on column jobrunner.checkpoint_inputs.user_id is 'Whose data.';
comment on column jobrunner.checkpoint_inputs.job_name is 'The job.';
comment on column jobrunner.checkpoint_inputs.entity is 'The kind of record; of an item of for_each with # and its values behind it.';
comment on column jobrunner.checkpoint_inputs.inputs is 'An object by the names of the columns; times in microseconds since 1970 end in _us, an infinite one as text.';
