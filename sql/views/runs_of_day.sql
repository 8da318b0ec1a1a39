create or replace view jobrunner.runs_of_day as
select h.quarters_ago, h.detail as outcome, sum(h.value) as value
from jobrunner.history as h
where h.measure = 'runs' and h.at > now() - interval '1 day'
group by h.quarters_ago, h.detail;
comment on view jobrunner.runs_of_day is 'How did runs end in the last day, by quarters of an hour?';
comment on column jobrunner.runs_of_day.quarters_ago is 'How many quarters ago it began: 0 for the present one.';
comment on column jobrunner.runs_of_day.outcome is 'How they ended.';
comment on column jobrunner.runs_of_day.value is 'How many runs.';
