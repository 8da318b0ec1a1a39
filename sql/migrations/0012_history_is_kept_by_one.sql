-- History's partitions are made and dropped by one worker at a time.

insert into jobrunner.chores (name) values ('maintain_runs');
comment on column jobrunner.chores.done_at is 'When somebody last began it, where that matters; null: never, or it is done whenever it is due.';
