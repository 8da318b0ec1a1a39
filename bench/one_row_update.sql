-- pgbench: what one durable transaction of one row costs; for orientation. Variables: first_user, users.
\set user random(:first_user, :first_user + :users - 1)
update jobrunner.jobs set last_run_at = now() where user_id = :user and name = 'bench.idle';
