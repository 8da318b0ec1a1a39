create or replace function jobrunner.endless_runs(
  in_places bigint[],
  in_user_ids bigint[],
  in_names text[],
  in_outcomes text[]
) returns bigint[]
language plpgsql stable
set search_path = pg_catalog
set enable_seqscan = off
as $$
-- Of the runs at in_places, which have just ended, the places of those with which their job began to count as one whose
-- pass does not end: once for each job until it is complete again. Not for callers: finish_runs.
begin
  return (
    select coalesce(array_agg(h.place), '{}')
    from unnest(in_places) as h (place)
    join jobrunner.jobs as j on j.user_id = in_user_ids[h.place] and j.name = in_names[h.place]
    where in_outcomes[h.place] = 'partial' and coalesce(j.last_success_at < now() - interval '1 day', true)
      and exists (
        select from jobrunner.checkpoints as k
        where k.user_id = j.user_id and k.job_name = j.name and k.pass_kind is not null and k.page_number >= 100
      )
      -- The run before was not told of.
      and jobrunner.endless_at(j.user_id, j.name, j.last_success_at) > (
        select max(p.ended_at)
        from jobrunner.runs as p
        where p.user_id = j.user_id and p.job_name = j.name and p.outcome = 'partial' and p.page_count > 0
          and p.ended_at < now()
      )
      and jobrunner.endless_at(j.user_id, j.name, j.last_success_at) <= now()
  );
end
$$;
comment on function jobrunner.endless_runs is 'Runs with which a pass began to be called endless. Not for callers: finish_runs.';
