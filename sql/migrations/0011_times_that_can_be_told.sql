-- With a period or deadline beyond these no next time could be computed, and the claim of every job would fail with it.

alter table jobrunner.jobs
  add constraint job_period_and_deadline_are_within_bounds check (
    every between interval '1 second' and interval '10 years'
    and deadline between interval '1 millisecond' and interval '10 years'
  );
