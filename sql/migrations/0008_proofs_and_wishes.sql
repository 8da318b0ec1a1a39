-- breaking: a worker of before neither numbers its passes nor says which wishes it knew of.
-- Every page and every end of a pass names what it follows, and a wish for a full pass or a repair has a number.

alter table jobrunner.checkpoints
  drop column full_requested,
  drop column repair_requested;
alter table jobrunner.checkpoints
  add column pass_number integer not null default 0,
  add column wish_asked integer not null default 0,
  add column wish_begun integer not null default 0,
  add column wish_ended integer not null default 0,
  add column repair_asked integer not null default 0,
  add column full_requested boolean not null generated always as (wish_asked > wish_begun) stored,
  add column repair_requested boolean not null generated always as (repair_asked > wish_ended) stored,
  add constraint wishes_are_asked_then_begun_then_ended check (wish_ended <= wish_begun and wish_begun <= wish_asked),
  add constraint repair_is_one_of_the_wishes check (repair_asked <= wish_asked);
comment on column jobrunner.checkpoints.pass_number is 'Passes that were begun, each by the commit of its first page: a page of another pass is refused.';
comment on column jobrunner.checkpoints.wish_asked is 'Number of the last wish for a full pass; every wish takes the next.';
comment on column jobrunner.checkpoints.wish_begun is 'The last wish that a full pass knew of when it began.';
comment on column jobrunner.checkpoints.wish_ended is 'The last wish that a full pass knew of when it was read to its end.';
comment on column jobrunner.checkpoints.repair_asked is 'The last wish that was for a repair: rows its pass does not show lose their tag and are sent anew (LU22).';
comment on column jobrunner.checkpoints.full_requested is 'The next run starts this entity over with a full pass; follows from the numbers of the wishes.';
comment on column jobrunner.checkpoints.repair_requested is 'A repair was asked for and is not at its end; follows from the numbers of the wishes.';
