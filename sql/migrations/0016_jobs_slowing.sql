-- concurrently
-- Finds those that slow down now, and proves of all rows what 0015 demands of new ones.

drop index concurrently if exists jobrunner.jobs_slowing;
create index concurrently jobs_slowing on jobrunner.jobs (slows_at) where slows_at is not null;
comment on index jobrunner.jobs_slowing is 'Finds those that slow down now.';
alter table jobrunner.jobs validate constraint job_priority_is_a_lane;
alter table jobrunner.jobs validate constraint job_that_is_to_slow_down_has_not_yet;
