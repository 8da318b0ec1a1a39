-- Every job due, in the last ten minutes, in no order of the table.
update jobrunner.jobs set due_at = now() - random() * interval '10 minutes';
