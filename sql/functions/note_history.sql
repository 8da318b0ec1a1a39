create or replace function jobrunner.note_history(
  in_measures text[],
  in_subjects text[],
  in_details text[],
  in_values double precision[]
) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Adds what a worker has counted since it last told to the present quarter of an hour. In key order, so that two
-- workers do not wait for one another crosswise. Not for callers: workers.
begin
  insert into jobrunner.history_counts as h (at, measure, subject, detail, value)
  select date_bin('15 minutes', now(), '2000-01-01 00:00:00+00'), n.measure, n.subject, n.detail, sum(n.value)
  from unnest(in_measures, in_subjects, in_details, in_values) as n (measure, subject, detail, value)
  group by n.measure, n.subject, n.detail
  order by n.measure, n.subject, n.detail
  on conflict (measure, at, subject, detail) do update set value = h.value + excluded.value;
end
$$;
comment on function jobrunner.note_history is 'Adds what a worker has counted to the history.';
