create or replace view jobrunner.kinds_of_trouble as
select t.kind, t.about, t.words, t.hint, t.alerts, t.needs, t.tells
from (values
  -- Of a job.
  ('failing', 'failing', 'failed in their last run', 'jobrunner explain says what each waits for', false, null, null),
  ('quarantined', 'quarantine', 'set aside', 'mend the cause, then jobrunner retry', true, null, null),
  ('needs_reauth', 'secrets', 'parked: the source refuses the credential',
    'jobrunner user set --secret or jobrunner retry wakes them',
    true, null, 'Sign in again: what this app was given to read your data is no longer accepted.'),
  ('client_refused', 'sign-in', 'can''t sign in: what the operator stores or configures is refused',
    'mend the tenant''s secrets or the job file''s auth; jobrunner tenant set --secret wakes them', true, null, null),
  ('no_key', 'key file', 'are put off: their secrets are sealed with another key',
    'store the secrets again, or give the workers the key', true, null, null),
  ('stalled', 'stalled', 'don''t get on: no page before the deadline', 'a longer deadline or smaller pages', true, null,
    null),
  ('deferred', 'deferred', 'are put off again and again',
    'jobrunner explain tells why; for a limit ask the source''s owner, or lower source.rate', false, null, null),
  ('endless', 'passes', 'read on for more than a day and a hundred runs, and no pass ends',
    'does the source always name a next page?',
    true, null, null),
  ('overdue', 'deadline', 'run on behind their deadline', 'restart the worker', true, null, null),
  ('orphaned', 'orphans', 'run under a worker that has ended', 'a worker takes them back within a minute', true, null,
    null),
  ('lacking', 'lacking', 'were never made, though their tenant was given them', 'run jobrunner migrate', false, null,
    null),
  -- Of an entity: the failure of its last run.
  ('entity_failing', 'failing', 'left an error in one entity', 'jobrunner status --user tells it', false, null, null),
  -- Of an entity: a rule of `errors` in its job file says so.
  ('entity_skipped', 'skipped', 'skip an entity, of which the source has nothing for them',
    'nothing need be done where that is so; jobrunner status --user tells what it answered', false, null, null),
  -- Of an entity, until a person acts or it is over (set_trouble).
  ('sweep_refused', 'sweep', 'deleted nothing, since two full passes lacked too many rows',
    'an empty account or a wrong credential? if it is right, raise max_fraction: the next run deletes them', true, 'operator', null),
  ('sweep_held', 'sweep', 'were shown none of their rows; the next full pass that shows none deletes them',
    'an empty account or a wrong credential? fix or pause it before the next full pass', true, 'operator', null),
  ('absence_unproven', 'sweep', 'were shown records without a name, or lists that go on, so that nothing is deleted',
    'jobrunner status tells which: mend the type of the key, give a part of it a default, or ask for whole lists', true, 'operator', null),
  ('end_unproven', 'passes', 'read a page that may not be the last, and nothing says so',
    'is the path of the next page right? give page.size, or end: short_page: the next run reads on', true, 'operator', null),
  ('edits_refused', 'edits', 'hold edits that the source refuses one by one',
    'push_error of the row tells why: edit or delete the row, or mend the job file', true, 'operator',
    'Some of what you changed here is not accepted there. It is kept here.'),
  ('quota_exceeded', 'edits', 'hold edits that wait, since the user''s store at the source is full',
    'the user makes room there: the next run sends them', false, 'user',
    'Your storage there is full. What you changed here is kept, and is sent when there is room.'),
  ('zone_gone', 'zones', 'lack their zone, which was read before: its data was deleted at the source',
    'nothing is filled in again; if the user wants that, jobrunner repair', false, 'repair',
    'Your data of this app was deleted there. What is here is kept, and is not sent again unless you ask for it.')
) as t (kind, about, words, hint, alerts, needs, tells);
comment on view jobrunner.kinds_of_trouble is 'What is each trouble of jobs_in_trouble, and what helps? The one list of them.';
comment on column jobrunner.kinds_of_trouble.kind is 'Its name.';
comment on column jobrunner.kinds_of_trouble.about is 'What it is about, in a word.';
comment on column jobrunner.kinds_of_trouble.words is 'What it means, behind a number of jobs.';
comment on column jobrunner.kinds_of_trouble.hint is 'What helps.';
comment on column jobrunner.kinds_of_trouble.alerts is 'An alert is raised for it: it does not end by itself.';
comment on column jobrunner.kinds_of_trouble.needs is 'Of an entity''s trouble that waits for a person: who can help, as status_of says it; null: nobody need, or its job says so.';
comment on column jobrunner.kinds_of_trouble.tells is 'What an application can show to its user, in a sentence; null: the user need not know.';
