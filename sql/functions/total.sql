create or replace aggregate jobrunner.total(jobrunner.counters) (
  sfunc = jobrunner.add_counters,
  stype = jobrunner.counters
);
comment on aggregate jobrunner.total(jobrunner.counters) is 'Counters of many parts added up; null of none.';
