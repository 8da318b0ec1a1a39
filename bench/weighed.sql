-- What other ways to find who is next would read and write: the figures of "Weighed, tried and left" in
-- docs/decisions/0040-who-is-next-is-found-by-walking-what-is-due.md. On any PostgreSQL 15 without data of its own:
--   bin/pg start --fast DIR, then psql "$DATABASE_URL" -Xq -f bench/weighed.sql
-- 100,000 jobs of 10,000 tenants, as wide as the product's; in each of 30 turns the hundred that have been due longest are
-- claimed and then finished. Printed are buffers a claimed job and bytes of log a run (claim and finish), in the last 20 turns.
\set ON_ERROR_STOP on
set client_min_messages = warning;
drop schema if exists weighed cascade;
create schema weighed;
set search_path = weighed;
set jit = off;
set enable_hashjoin = off;
set enable_mergejoin = off;
set max_parallel_workers_per_gather = 0;

create table jobs (
  user_id bigint not null,
  tenant_id bigint not null,
  name text not null,
  every interval not null default '1 h',
  settings text not null default repeat('x', 72),
  due_at timestamptz not null,
  worker_id integer,
  fence bigint not null default 0,
  started_at timestamptz,
  primary key (user_id, name)
) with (fillfactor = 70);
insert into jobs (user_id, tenant_id, name, due_at)
select i, i % 10000, 'metube.refresh', now() - (i * 7919 % 100000) * interval '1 ms' - interval '10 min'
from generate_series(1, 100000) as i;

create table figures (way text, step text, turn integer, buffers bigint, wal bigint);

-- Runs a statement and notes what it read and wrote.
create function note(in_way text, in_step text, in_turn integer, in_statement text) returns void
language plpgsql
as $$
declare
  v_plan json;
begin
  execute 'explain (analyze, buffers, wal, timing off, format json) ' || in_statement into v_plan;
  insert into figures values (
    in_way, in_step, in_turn,
    (v_plan -> 0 -> 'Plan' ->> 'Shared Hit Blocks')::bigint + (v_plan -> 0 -> 'Plan' ->> 'Shared Read Blocks')::bigint,
    (v_plan -> 0 -> 'Plan' ->> 'WAL Bytes')::bigint
  );
end
$$;

create table taken (place tid, user_id bigint, tenant_id bigint, due_at timestamptz);

-- The turns of a way: its looks, then the claim of what they took by place, then the finish.
create procedure play(in_way text, in_look text, in_before_claim text[], in_after_finish text[])
language plpgsql
as $$
begin
  for turn in 1..30 loop
    truncate taken;
    commit;
    perform note(in_way, 'look', turn, in_look);
    for part in 1..coalesce(cardinality(in_before_claim), 0) loop
      perform note(in_way, 'claim', turn, in_before_claim[part]);
    end loop;
    perform note(in_way, 'claim', turn, $s$
      update jobs as j set worker_id = 1, fence = fence + 1, started_at = now()
      from taken as t where j.ctid = t.place and j.worker_id is null
    $s$);
    perform note(in_way, 'finish', turn, $s$
      update jobs as j set worker_id = null, started_at = null, due_at = now() + every
      from taken as t where j.user_id = t.user_id and j.name = 'metube.refresh'
    $s$);
    for part in 1..coalesce(cardinality(in_after_finish), 0) loop
      perform note(in_way, 'finish', turn, in_after_finish[part]);
    end loop;
    commit;
  end loop;
end
$$;

\set oldest 'insert into taken select ctid, user_id, tenant_id, due_at from jobs where due_at <= now() and worker_id is null order by due_at, user_id limit 100'

create index jobs_due on jobs (due_at, user_id);
vacuum analyze jobs;
call play('one index over all tenants (chosen)', :'oldest', null, null);

-- Locked in the same walk.
call play('locked in the walk', :'oldest' || ' for no key update skip locked', null, null);

-- A second index by tenant.
create index jobs_of_tenants on jobs (tenant_id, due_at, user_id);
vacuum analyze jobs;
call play('a second index by tenant', :'oldest', null, null);

-- A row for each tenant with its next due time, found by an index over it.
drop index jobs_due;
create table tenants_due (tenant_id bigint primary key, next_due_at timestamptz not null) with (fillfactor = 70);
insert into tenants_due select tenant_id, min(due_at) from jobs group by 1;
create index tenants_due_next on tenants_due (next_due_at);
vacuum analyze tenants_due;
vacuum analyze jobs;
\set of_tenants 'insert into taken select j.ctid, j.user_id, j.tenant_id, j.due_at from (select tenant_id from tenants_due where next_due_at <= now() order by next_due_at limit 100) as t cross join lateral (select ctid, * from jobs where tenant_id = t.tenant_id and due_at <= now() and worker_id is null order by due_at, user_id limit 1) as j'
\set next_due 'update tenants_due as d set next_due_at = (select min(j.due_at) from jobs as j where j.tenant_id = d.tenant_id and j.worker_id is null) from (select distinct tenant_id from taken) as t where d.tenant_id = t.tenant_id'
call play('a row a tenant with its next due time', :'of_tenants', null, array[:'next_due']);

-- Due times in slices of a second, by tenant: a fair claim goes into each slice for each tenant.
drop index jobs_of_tenants;
create function slice(timestamptz) returns bigint language sql immutable as 'select floor(extract(epoch from $1))::bigint';
create index jobs_slices on jobs (slice(due_at), tenant_id, due_at);
vacuum analyze jobs;
call play('slices of a second, by tenant',
  'insert into taken select j.ctid, j.user_id, j.tenant_id, j.due_at from (select distinct tenant_id from jobs where due_at <= now() and worker_id is null order by 1 limit 100) as t cross join lateral (select j.* from generate_series(slice(now() - interval ''12 min''), slice(now())) as s cross join lateral (select ctid, * from jobs where slice(due_at) = s and tenant_id = t.tenant_id and worker_id is null order by due_at limit 1) as j limit 1) as j',
  null, null);

-- A queue that what is due is moved into.
drop index jobs_slices;
create index jobs_due on jobs (due_at, user_id);
create table queue (user_id bigint, name text, tenant_id bigint, due_at timestamptz, worker_id integer, primary key (tenant_id, due_at, user_id, name));
vacuum analyze jobs;
call play('a queue that a stager fills', :'oldest',
  array[
    'insert into queue select user_id, ''metube.refresh'', tenant_id, due_at, null from taken',
    'update queue as q set worker_id = 1 from taken as t where q.tenant_id = t.tenant_id and q.due_at = t.due_at and q.user_id = t.user_id'
  ],
  array['delete from queue as q using taken as t where q.tenant_id = t.tenant_id and q.due_at = t.due_at and q.user_id = t.user_id']);

select f.way,
  round(sum(f.buffers) filter (where f.step in ('look', 'claim')) / 2000.0, 1) as "buffers a claimed job",
  round(sum(f.buffers) filter (where f.step = 'finish') / 2000.0, 1) as "buffers a finish",
  round(sum(f.wal) filter (where f.step <> 'look') / 2000.0) as "log a run, bytes"
from figures as f
where f.turn > 10
group by f.way
order by min(f.ctid);

drop schema weighed cascade;
