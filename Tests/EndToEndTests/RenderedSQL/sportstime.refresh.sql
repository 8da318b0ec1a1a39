-- Made by jobrunner migrate
create table synced."st_game" (
  "user_id" bigint not null,
  "canonical_id" text not null,
  "home_team_id" text not null,
  "away_team_id" text not null,
  "stadium_id" text not null,
  "starts_at" timestamp with time zone not null,
  "modified_at" timestamp with time zone,
  "inserted_at" timestamp with time zone default now() not null,
  "last_modified" timestamp with time zone default now() not null,
  "synced" boolean default true not null,
  primary key ("user_id", "canonical_id")
);
comment on table synced."st_game" is 'Records of entity ''game'' of job file sportstime.refresh.';
comment on column synced."st_game"."user_id" is 'Whose record: jobrunner.users.id.';
comment on column synced."st_game"."canonical_id" is 'Field ''canonical_id'' of entity ''game'' of job file sportstime.refresh.';
comment on column synced."st_game"."home_team_id" is 'Field ''home_team_id'' of entity ''game'' of job file sportstime.refresh.';
comment on column synced."st_game"."away_team_id" is 'Field ''away_team_id'' of entity ''game'' of job file sportstime.refresh.';
comment on column synced."st_game"."stadium_id" is 'Field ''stadium_id'' of entity ''game'' of job file sportstime.refresh.';
comment on column synced."st_game"."starts_at" is 'Field ''starts_at'' of entity ''game'' of job file sportstime.refresh.';
comment on column synced."st_game"."modified_at" is 'Field ''modified_at'' of entity ''game'' of job file sportstime.refresh.';
comment on column synced."st_game"."inserted_at" is 'When the record was first seen here.';
comment on column synced."st_game"."last_modified" is 'When the row was last changed here.';
comment on column synced."st_game"."synced" is 'False: changed here and not yet sent to the source.';
create index "st_game_by_starts_at" on synced."st_game" ("user_id", "starts_at");
comment on index synced."st_game_by_starts_at" is 'A user''s rows by starts_at.';
create table synced."st_league_structure" (
  "user_id" bigint not null,
  "structure_id" text not null,
  "modified_at" timestamp with time zone,
  "inserted_at" timestamp with time zone default now() not null,
  "last_modified" timestamp with time zone default now() not null,
  "synced" boolean default true not null,
  primary key ("user_id", "structure_id")
);
comment on table synced."st_league_structure" is 'Records of entity ''league_structure'' of job file sportstime.refresh.';
comment on column synced."st_league_structure"."user_id" is 'Whose record: jobrunner.users.id.';
comment on column synced."st_league_structure"."structure_id" is 'Field ''structure_id'' of entity ''league_structure'' of job file sportstime.refresh.';
comment on column synced."st_league_structure"."modified_at" is 'Field ''modified_at'' of entity ''league_structure'' of job file sportstime.refresh.';
comment on column synced."st_league_structure"."inserted_at" is 'When the record was first seen here.';
comment on column synced."st_league_structure"."last_modified" is 'When the row was last changed here.';
comment on column synced."st_league_structure"."synced" is 'False: changed here and not yet sent to the source.';
create table synced."st_sport" (
  "user_id" bigint not null,
  "sport_id" text not null,
  "modified_at" timestamp with time zone,
  "inserted_at" timestamp with time zone default now() not null,
  "last_modified" timestamp with time zone default now() not null,
  "synced" boolean default true not null,
  primary key ("user_id", "sport_id")
);
comment on table synced."st_sport" is 'Records of entity ''sport'' of job file sportstime.refresh.';
comment on column synced."st_sport"."user_id" is 'Whose record: jobrunner.users.id.';
comment on column synced."st_sport"."sport_id" is 'Field ''sport_id'' of entity ''sport'' of job file sportstime.refresh.';
comment on column synced."st_sport"."modified_at" is 'Field ''modified_at'' of entity ''sport'' of job file sportstime.refresh.';
comment on column synced."st_sport"."inserted_at" is 'When the record was first seen here.';
comment on column synced."st_sport"."last_modified" is 'When the row was last changed here.';
comment on column synced."st_sport"."synced" is 'False: changed here and not yet sent to the source.';
create table synced."st_stadium" (
  "user_id" bigint not null,
  "canonical_id" text not null,
  "name" text not null,
  "modified_at" timestamp with time zone,
  "inserted_at" timestamp with time zone default now() not null,
  "last_modified" timestamp with time zone default now() not null,
  "synced" boolean default true not null,
  primary key ("user_id", "canonical_id")
);
comment on table synced."st_stadium" is 'Records of entity ''stadium'' of job file sportstime.refresh.';
comment on column synced."st_stadium"."user_id" is 'Whose record: jobrunner.users.id.';
comment on column synced."st_stadium"."canonical_id" is 'Field ''canonical_id'' of entity ''stadium'' of job file sportstime.refresh.';
comment on column synced."st_stadium"."name" is 'Field ''name'' of entity ''stadium'' of job file sportstime.refresh.';
comment on column synced."st_stadium"."modified_at" is 'Field ''modified_at'' of entity ''stadium'' of job file sportstime.refresh.';
comment on column synced."st_stadium"."inserted_at" is 'When the record was first seen here.';
comment on column synced."st_stadium"."last_modified" is 'When the row was last changed here.';
comment on column synced."st_stadium"."synced" is 'False: changed here and not yet sent to the source.';
create table synced."st_stadium_alias" (
  "user_id" bigint not null,
  "alias_name" text not null,
  "modified_at" timestamp with time zone,
  "inserted_at" timestamp with time zone default now() not null,
  "last_modified" timestamp with time zone default now() not null,
  "synced" boolean default true not null,
  primary key ("user_id", "alias_name")
);
comment on table synced."st_stadium_alias" is 'Records of entity ''stadium_alias'' of job file sportstime.refresh.';
comment on column synced."st_stadium_alias"."user_id" is 'Whose record: jobrunner.users.id.';
comment on column synced."st_stadium_alias"."alias_name" is 'Field ''alias_name'' of entity ''stadium_alias'' of job file sportstime.refresh.';
comment on column synced."st_stadium_alias"."modified_at" is 'Field ''modified_at'' of entity ''stadium_alias'' of job file sportstime.refresh.';
comment on column synced."st_stadium_alias"."inserted_at" is 'When the record was first seen here.';
comment on column synced."st_stadium_alias"."last_modified" is 'When the row was last changed here.';
comment on column synced."st_stadium_alias"."synced" is 'False: changed here and not yet sent to the source.';
create table synced."st_team" (
  "user_id" bigint not null,
  "canonical_id" text not null,
  "stadium_canonical_id" text not null,
  "modified_at" timestamp with time zone,
  "inserted_at" timestamp with time zone default now() not null,
  "last_modified" timestamp with time zone default now() not null,
  "synced" boolean default true not null,
  primary key ("user_id", "canonical_id")
);
comment on table synced."st_team" is 'Records of entity ''team'' of job file sportstime.refresh.';
comment on column synced."st_team"."user_id" is 'Whose record: jobrunner.users.id.';
comment on column synced."st_team"."canonical_id" is 'Field ''canonical_id'' of entity ''team'' of job file sportstime.refresh.';
comment on column synced."st_team"."stadium_canonical_id" is 'Field ''stadium_canonical_id'' of entity ''team'' of job file sportstime.refresh.';
comment on column synced."st_team"."modified_at" is 'Field ''modified_at'' of entity ''team'' of job file sportstime.refresh.';
comment on column synced."st_team"."inserted_at" is 'When the record was first seen here.';
comment on column synced."st_team"."last_modified" is 'When the row was last changed here.';
comment on column synced."st_team"."synced" is 'False: changed here and not yet sent to the source.';
create table synced."st_team_alias" (
  "user_id" bigint not null,
  "alias_id" text not null,
  "modified_at" timestamp with time zone,
  "inserted_at" timestamp with time zone default now() not null,
  "last_modified" timestamp with time zone default now() not null,
  "synced" boolean default true not null,
  primary key ("user_id", "alias_id")
);
comment on table synced."st_team_alias" is 'Records of entity ''team_alias'' of job file sportstime.refresh.';
comment on column synced."st_team_alias"."user_id" is 'Whose record: jobrunner.users.id.';
comment on column synced."st_team_alias"."alias_id" is 'Field ''alias_id'' of entity ''team_alias'' of job file sportstime.refresh.';
comment on column synced."st_team_alias"."modified_at" is 'Field ''modified_at'' of entity ''team_alias'' of job file sportstime.refresh.';
comment on column synced."st_team_alias"."inserted_at" is 'When the record was first seen here.';
comment on column synced."st_team_alias"."last_modified" is 'When the row was last changed here.';
comment on column synced."st_team_alias"."synced" is 'False: changed here and not yet sent to the source.';

-- Sent by runs of sportstime.refresh
-- stadium: writes a page and moves its checkpoint
with incoming as materialized (
  select r.*
  from (select r.*, (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."name" is not distinct from r."name" and s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_stadium" as s where s.user_id = $1 and s."canonical_id" = r."canonical_id" limit 1) as "Standing" from unnest($29::int[], $30::text[], $31::text[], $32::timestamptz[]) as r ("Action", "canonical_id", "name", "modified_at") where r."Action" = 0 offset 0) as r
  where r."Standing" is distinct from 'same'
), written as (
  insert into synced."st_stadium" as t (user_id, "canonical_id", "name", "modified_at")
  select $1, r."canonical_id", r."name", r."modified_at"
  from incoming as r where coalesce(r."Standing", 'older') = 'older'
  on conflict (user_id, "canonical_id") do update set "name" = excluded."name", "modified_at" = excluded."modified_at", last_modified = now(), synced = true where (t."modified_at" is null and excluded."modified_at" is not null or t."modified_at" < excluded."modified_at" or t."modified_at" is not distinct from excluded."modified_at" and not (t."name" is not distinct from excluded."name" and t."modified_at" is not distinct from excluded."modified_at"))
  returning (t.xmax = 0) as is_new, jobrunner.key_hash(t."canonical_id"::text) as hash
), counted as materialized (
  select count(*) filter (where w.is_new) as inserted, count(*) filter (where not w.is_new) as updated,
    (select count(*) from incoming as i where i."Standing" = 'newer') + 0 + $28 as older, 0::bigint as deleted,
    array_agg(w.hash) filter (where w.is_new) as added
  from written as w
)
select c.inserted, c.updated, c.deleted,
  jobrunner.commit_page($1, $2, $3, $4, $5, row($6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)::jobrunner.page, jobrunner.make_counters(
  pages => $7, fetched => $23, inserted => c.inserted, updated => c.updated,
  unchanged => $27 - c.inserted - c.updated - c.older - c.deleted, skipped_older => c.older,
  skipped_incompatible => $24, filtered => $25, duplicate => $26,
  deleted => c.deleted)) as committed, jobrunner.mark_seen($1, $2, $3, $8, $6, c.added) as noted
from counted as c;
-- stadium: the same, and notes what a full pass shows, for its sweep
with incoming as materialized (
  select r.*
  from (select r.*, (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."name" is not distinct from r."name" and s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_stadium" as s where s.user_id = $1 and s."canonical_id" = r."canonical_id" limit 1) as "Standing" from unnest($29::int[], $30::text[], $31::text[], $32::timestamptz[]) as r ("Action", "canonical_id", "name", "modified_at") where r."Action" = 0 offset 0) as r
  where r."Standing" is distinct from 'same'
), written as (
  insert into synced."st_stadium" as t (user_id, "canonical_id", "name", "modified_at")
  select $1, r."canonical_id", r."name", r."modified_at"
  from incoming as r where coalesce(r."Standing", 'older') = 'older'
  on conflict (user_id, "canonical_id") do update set "name" = excluded."name", "modified_at" = excluded."modified_at", last_modified = now(), synced = true where (t."modified_at" is null and excluded."modified_at" is not null or t."modified_at" < excluded."modified_at" or t."modified_at" is not distinct from excluded."modified_at" and not (t."name" is not distinct from excluded."name" and t."modified_at" is not distinct from excluded."modified_at"))
  returning (t.xmax = 0) as is_new
), counted as materialized (
  select count(*) filter (where w.is_new) as inserted, count(*) filter (where not w.is_new) as updated,
    (select count(*) from incoming as i where i."Standing" = 'newer') + 0 + $28 as older, 0::bigint as deleted
  from written as w
)
select c.inserted, c.updated, c.deleted,
  jobrunner.commit_page($1, $2, $3, $4, $5, row($6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)::jobrunner.page, jobrunner.make_counters(
  pages => $7, fetched => $23, inserted => c.inserted, updated => c.updated,
  unchanged => $27 - c.inserted - c.updated - c.older - c.deleted, skipped_older => c.older,
  skipped_incompatible => $24, filtered => $25, duplicate => $26,
  deleted => c.deleted)) as committed, jobrunner.mark_seen($1, $2, $3, $8, $6, array(
    select jobrunner.key_hash(i."canonical_id"::text) from unnest($29::int[], $30::text[]) as i ("Action", "canonical_id")
    where i."Action" <> 2
  )) as noted
from counted as c;
-- stadium: asks whether a page would change anything
select coalesce(bool_or(coalesce(r."Standing", 'older') = 'older'), false) as changes,
  count(*) filter (where r."Standing" = 'newer') as older
from (select (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."name" is not distinct from r."name" and s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_stadium" as s where s.user_id = $1 and s."canonical_id" = r."canonical_id" limit 1) as "Standing" from unnest($2::int[], $3::text[], $4::text[], $5::timestamptz[]) as r ("Action", "canonical_id", "name", "modified_at") where r."Action" = 0 offset 0) as r;
-- league_structure: writes a page and moves its checkpoint
with incoming as materialized (
  select r.*
  from (select r.*, (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_league_structure" as s where s.user_id = $1 and s."structure_id" = r."structure_id" limit 1) as "Standing" from unnest($29::int[], $30::text[], $31::timestamptz[]) as r ("Action", "structure_id", "modified_at") where r."Action" = 0 offset 0) as r
  where r."Standing" is distinct from 'same'
), written as (
  insert into synced."st_league_structure" as t (user_id, "structure_id", "modified_at")
  select $1, r."structure_id", r."modified_at"
  from incoming as r where coalesce(r."Standing", 'older') = 'older'
  on conflict (user_id, "structure_id") do update set "modified_at" = excluded."modified_at", last_modified = now(), synced = true where (t."modified_at" is null and excluded."modified_at" is not null or t."modified_at" < excluded."modified_at" or t."modified_at" is not distinct from excluded."modified_at" and not (t."modified_at" is not distinct from excluded."modified_at"))
  returning (t.xmax = 0) as is_new, jobrunner.key_hash(t."structure_id"::text) as hash
), counted as materialized (
  select count(*) filter (where w.is_new) as inserted, count(*) filter (where not w.is_new) as updated,
    (select count(*) from incoming as i where i."Standing" = 'newer') + 0 + $28 as older, 0::bigint as deleted,
    array_agg(w.hash) filter (where w.is_new) as added
  from written as w
)
select c.inserted, c.updated, c.deleted,
  jobrunner.commit_page($1, $2, $3, $4, $5, row($6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)::jobrunner.page, jobrunner.make_counters(
  pages => $7, fetched => $23, inserted => c.inserted, updated => c.updated,
  unchanged => $27 - c.inserted - c.updated - c.older - c.deleted, skipped_older => c.older,
  skipped_incompatible => $24, filtered => $25, duplicate => $26,
  deleted => c.deleted)) as committed, jobrunner.mark_seen($1, $2, $3, $8, $6, c.added) as noted
from counted as c;
-- league_structure: the same, and notes what a full pass shows, for its sweep
with incoming as materialized (
  select r.*
  from (select r.*, (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_league_structure" as s where s.user_id = $1 and s."structure_id" = r."structure_id" limit 1) as "Standing" from unnest($29::int[], $30::text[], $31::timestamptz[]) as r ("Action", "structure_id", "modified_at") where r."Action" = 0 offset 0) as r
  where r."Standing" is distinct from 'same'
), written as (
  insert into synced."st_league_structure" as t (user_id, "structure_id", "modified_at")
  select $1, r."structure_id", r."modified_at"
  from incoming as r where coalesce(r."Standing", 'older') = 'older'
  on conflict (user_id, "structure_id") do update set "modified_at" = excluded."modified_at", last_modified = now(), synced = true where (t."modified_at" is null and excluded."modified_at" is not null or t."modified_at" < excluded."modified_at" or t."modified_at" is not distinct from excluded."modified_at" and not (t."modified_at" is not distinct from excluded."modified_at"))
  returning (t.xmax = 0) as is_new
), counted as materialized (
  select count(*) filter (where w.is_new) as inserted, count(*) filter (where not w.is_new) as updated,
    (select count(*) from incoming as i where i."Standing" = 'newer') + 0 + $28 as older, 0::bigint as deleted
  from written as w
)
select c.inserted, c.updated, c.deleted,
  jobrunner.commit_page($1, $2, $3, $4, $5, row($6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)::jobrunner.page, jobrunner.make_counters(
  pages => $7, fetched => $23, inserted => c.inserted, updated => c.updated,
  unchanged => $27 - c.inserted - c.updated - c.older - c.deleted, skipped_older => c.older,
  skipped_incompatible => $24, filtered => $25, duplicate => $26,
  deleted => c.deleted)) as committed, jobrunner.mark_seen($1, $2, $3, $8, $6, array(
    select jobrunner.key_hash(i."structure_id"::text) from unnest($29::int[], $30::text[]) as i ("Action", "structure_id")
    where i."Action" <> 2
  )) as noted
from counted as c;
-- league_structure: asks whether a page would change anything
select coalesce(bool_or(coalesce(r."Standing", 'older') = 'older'), false) as changes,
  count(*) filter (where r."Standing" = 'newer') as older
from (select (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_league_structure" as s where s.user_id = $1 and s."structure_id" = r."structure_id" limit 1) as "Standing" from unnest($2::int[], $3::text[], $4::timestamptz[]) as r ("Action", "structure_id", "modified_at") where r."Action" = 0 offset 0) as r;
-- team: writes a page and moves its checkpoint
with incoming as materialized (
  select r.*
  from (select r.*, (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."stadium_canonical_id" is not distinct from r."stadium_canonical_id" and s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_team" as s where s.user_id = $1 and s."canonical_id" = r."canonical_id" limit 1) as "Standing" from unnest($29::int[], $30::text[], $31::text[], $32::timestamptz[]) as r ("Action", "canonical_id", "stadium_canonical_id", "modified_at") where r."Action" = 0 offset 0) as r
  where r."Standing" is distinct from 'same'
), written as (
  insert into synced."st_team" as t (user_id, "canonical_id", "stadium_canonical_id", "modified_at")
  select $1, r."canonical_id", r."stadium_canonical_id", r."modified_at"
  from incoming as r where coalesce(r."Standing", 'older') = 'older'
  on conflict (user_id, "canonical_id") do update set "stadium_canonical_id" = excluded."stadium_canonical_id", "modified_at" = excluded."modified_at", last_modified = now(), synced = true where (t."modified_at" is null and excluded."modified_at" is not null or t."modified_at" < excluded."modified_at" or t."modified_at" is not distinct from excluded."modified_at" and not (t."stadium_canonical_id" is not distinct from excluded."stadium_canonical_id" and t."modified_at" is not distinct from excluded."modified_at"))
  returning (t.xmax = 0) as is_new, jobrunner.key_hash(t."canonical_id"::text) as hash
), counted as materialized (
  select count(*) filter (where w.is_new) as inserted, count(*) filter (where not w.is_new) as updated,
    (select count(*) from incoming as i where i."Standing" = 'newer') + 0 + $28 as older, 0::bigint as deleted,
    array_agg(w.hash) filter (where w.is_new) as added
  from written as w
)
select c.inserted, c.updated, c.deleted,
  jobrunner.commit_page($1, $2, $3, $4, $5, row($6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)::jobrunner.page, jobrunner.make_counters(
  pages => $7, fetched => $23, inserted => c.inserted, updated => c.updated,
  unchanged => $27 - c.inserted - c.updated - c.older - c.deleted, skipped_older => c.older,
  skipped_incompatible => $24, filtered => $25, duplicate => $26,
  deleted => c.deleted)) as committed, jobrunner.mark_seen($1, $2, $3, $8, $6, c.added) as noted
from counted as c;
-- team: the same, and notes what a full pass shows, for its sweep
with incoming as materialized (
  select r.*
  from (select r.*, (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."stadium_canonical_id" is not distinct from r."stadium_canonical_id" and s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_team" as s where s.user_id = $1 and s."canonical_id" = r."canonical_id" limit 1) as "Standing" from unnest($29::int[], $30::text[], $31::text[], $32::timestamptz[]) as r ("Action", "canonical_id", "stadium_canonical_id", "modified_at") where r."Action" = 0 offset 0) as r
  where r."Standing" is distinct from 'same'
), written as (
  insert into synced."st_team" as t (user_id, "canonical_id", "stadium_canonical_id", "modified_at")
  select $1, r."canonical_id", r."stadium_canonical_id", r."modified_at"
  from incoming as r where coalesce(r."Standing", 'older') = 'older'
  on conflict (user_id, "canonical_id") do update set "stadium_canonical_id" = excluded."stadium_canonical_id", "modified_at" = excluded."modified_at", last_modified = now(), synced = true where (t."modified_at" is null and excluded."modified_at" is not null or t."modified_at" < excluded."modified_at" or t."modified_at" is not distinct from excluded."modified_at" and not (t."stadium_canonical_id" is not distinct from excluded."stadium_canonical_id" and t."modified_at" is not distinct from excluded."modified_at"))
  returning (t.xmax = 0) as is_new
), counted as materialized (
  select count(*) filter (where w.is_new) as inserted, count(*) filter (where not w.is_new) as updated,
    (select count(*) from incoming as i where i."Standing" = 'newer') + 0 + $28 as older, 0::bigint as deleted
  from written as w
)
select c.inserted, c.updated, c.deleted,
  jobrunner.commit_page($1, $2, $3, $4, $5, row($6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)::jobrunner.page, jobrunner.make_counters(
  pages => $7, fetched => $23, inserted => c.inserted, updated => c.updated,
  unchanged => $27 - c.inserted - c.updated - c.older - c.deleted, skipped_older => c.older,
  skipped_incompatible => $24, filtered => $25, duplicate => $26,
  deleted => c.deleted)) as committed, jobrunner.mark_seen($1, $2, $3, $8, $6, array(
    select jobrunner.key_hash(i."canonical_id"::text) from unnest($29::int[], $30::text[]) as i ("Action", "canonical_id")
    where i."Action" <> 2
  )) as noted
from counted as c;
-- team: asks whether a page would change anything
select coalesce(bool_or(coalesce(r."Standing", 'older') = 'older'), false) as changes,
  count(*) filter (where r."Standing" = 'newer') as older
from (select (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."stadium_canonical_id" is not distinct from r."stadium_canonical_id" and s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_team" as s where s.user_id = $1 and s."canonical_id" = r."canonical_id" limit 1) as "Standing" from unnest($2::int[], $3::text[], $4::text[], $5::timestamptz[]) as r ("Action", "canonical_id", "stadium_canonical_id", "modified_at") where r."Action" = 0 offset 0) as r;
-- team_alias: writes a page and moves its checkpoint
with incoming as materialized (
  select r.*
  from (select r.*, (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_team_alias" as s where s.user_id = $1 and s."alias_id" = r."alias_id" limit 1) as "Standing" from unnest($29::int[], $30::text[], $31::timestamptz[]) as r ("Action", "alias_id", "modified_at") where r."Action" = 0 offset 0) as r
  where r."Standing" is distinct from 'same'
), written as (
  insert into synced."st_team_alias" as t (user_id, "alias_id", "modified_at")
  select $1, r."alias_id", r."modified_at"
  from incoming as r where coalesce(r."Standing", 'older') = 'older'
  on conflict (user_id, "alias_id") do update set "modified_at" = excluded."modified_at", last_modified = now(), synced = true where (t."modified_at" is null and excluded."modified_at" is not null or t."modified_at" < excluded."modified_at" or t."modified_at" is not distinct from excluded."modified_at" and not (t."modified_at" is not distinct from excluded."modified_at"))
  returning (t.xmax = 0) as is_new, jobrunner.key_hash(t."alias_id"::text) as hash
), counted as materialized (
  select count(*) filter (where w.is_new) as inserted, count(*) filter (where not w.is_new) as updated,
    (select count(*) from incoming as i where i."Standing" = 'newer') + 0 + $28 as older, 0::bigint as deleted,
    array_agg(w.hash) filter (where w.is_new) as added
  from written as w
)
select c.inserted, c.updated, c.deleted,
  jobrunner.commit_page($1, $2, $3, $4, $5, row($6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)::jobrunner.page, jobrunner.make_counters(
  pages => $7, fetched => $23, inserted => c.inserted, updated => c.updated,
  unchanged => $27 - c.inserted - c.updated - c.older - c.deleted, skipped_older => c.older,
  skipped_incompatible => $24, filtered => $25, duplicate => $26,
  deleted => c.deleted)) as committed, jobrunner.mark_seen($1, $2, $3, $8, $6, c.added) as noted
from counted as c;
-- team_alias: the same, and notes what a full pass shows, for its sweep
with incoming as materialized (
  select r.*
  from (select r.*, (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_team_alias" as s where s.user_id = $1 and s."alias_id" = r."alias_id" limit 1) as "Standing" from unnest($29::int[], $30::text[], $31::timestamptz[]) as r ("Action", "alias_id", "modified_at") where r."Action" = 0 offset 0) as r
  where r."Standing" is distinct from 'same'
), written as (
  insert into synced."st_team_alias" as t (user_id, "alias_id", "modified_at")
  select $1, r."alias_id", r."modified_at"
  from incoming as r where coalesce(r."Standing", 'older') = 'older'
  on conflict (user_id, "alias_id") do update set "modified_at" = excluded."modified_at", last_modified = now(), synced = true where (t."modified_at" is null and excluded."modified_at" is not null or t."modified_at" < excluded."modified_at" or t."modified_at" is not distinct from excluded."modified_at" and not (t."modified_at" is not distinct from excluded."modified_at"))
  returning (t.xmax = 0) as is_new
), counted as materialized (
  select count(*) filter (where w.is_new) as inserted, count(*) filter (where not w.is_new) as updated,
    (select count(*) from incoming as i where i."Standing" = 'newer') + 0 + $28 as older, 0::bigint as deleted
  from written as w
)
select c.inserted, c.updated, c.deleted,
  jobrunner.commit_page($1, $2, $3, $4, $5, row($6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)::jobrunner.page, jobrunner.make_counters(
  pages => $7, fetched => $23, inserted => c.inserted, updated => c.updated,
  unchanged => $27 - c.inserted - c.updated - c.older - c.deleted, skipped_older => c.older,
  skipped_incompatible => $24, filtered => $25, duplicate => $26,
  deleted => c.deleted)) as committed, jobrunner.mark_seen($1, $2, $3, $8, $6, array(
    select jobrunner.key_hash(i."alias_id"::text) from unnest($29::int[], $30::text[]) as i ("Action", "alias_id")
    where i."Action" <> 2
  )) as noted
from counted as c;
-- team_alias: asks whether a page would change anything
select coalesce(bool_or(coalesce(r."Standing", 'older') = 'older'), false) as changes,
  count(*) filter (where r."Standing" = 'newer') as older
from (select (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_team_alias" as s where s.user_id = $1 and s."alias_id" = r."alias_id" limit 1) as "Standing" from unnest($2::int[], $3::text[], $4::timestamptz[]) as r ("Action", "alias_id", "modified_at") where r."Action" = 0 offset 0) as r;
-- stadium_alias: writes a page and moves its checkpoint
with incoming as materialized (
  select r.*
  from (select r.*, (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_stadium_alias" as s where s.user_id = $1 and s."alias_name" = r."alias_name" limit 1) as "Standing" from unnest($29::int[], $30::text[], $31::timestamptz[]) as r ("Action", "alias_name", "modified_at") where r."Action" = 0 offset 0) as r
  where r."Standing" is distinct from 'same'
), written as (
  insert into synced."st_stadium_alias" as t (user_id, "alias_name", "modified_at")
  select $1, r."alias_name", r."modified_at"
  from incoming as r where coalesce(r."Standing", 'older') = 'older'
  on conflict (user_id, "alias_name") do update set "modified_at" = excluded."modified_at", last_modified = now(), synced = true where (t."modified_at" is null and excluded."modified_at" is not null or t."modified_at" < excluded."modified_at" or t."modified_at" is not distinct from excluded."modified_at" and not (t."modified_at" is not distinct from excluded."modified_at"))
  returning (t.xmax = 0) as is_new, jobrunner.key_hash(t."alias_name"::text) as hash
), counted as materialized (
  select count(*) filter (where w.is_new) as inserted, count(*) filter (where not w.is_new) as updated,
    (select count(*) from incoming as i where i."Standing" = 'newer') + 0 + $28 as older, 0::bigint as deleted,
    array_agg(w.hash) filter (where w.is_new) as added
  from written as w
)
select c.inserted, c.updated, c.deleted,
  jobrunner.commit_page($1, $2, $3, $4, $5, row($6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)::jobrunner.page, jobrunner.make_counters(
  pages => $7, fetched => $23, inserted => c.inserted, updated => c.updated,
  unchanged => $27 - c.inserted - c.updated - c.older - c.deleted, skipped_older => c.older,
  skipped_incompatible => $24, filtered => $25, duplicate => $26,
  deleted => c.deleted)) as committed, jobrunner.mark_seen($1, $2, $3, $8, $6, c.added) as noted
from counted as c;
-- stadium_alias: the same, and notes what a full pass shows, for its sweep
with incoming as materialized (
  select r.*
  from (select r.*, (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_stadium_alias" as s where s.user_id = $1 and s."alias_name" = r."alias_name" limit 1) as "Standing" from unnest($29::int[], $30::text[], $31::timestamptz[]) as r ("Action", "alias_name", "modified_at") where r."Action" = 0 offset 0) as r
  where r."Standing" is distinct from 'same'
), written as (
  insert into synced."st_stadium_alias" as t (user_id, "alias_name", "modified_at")
  select $1, r."alias_name", r."modified_at"
  from incoming as r where coalesce(r."Standing", 'older') = 'older'
  on conflict (user_id, "alias_name") do update set "modified_at" = excluded."modified_at", last_modified = now(), synced = true where (t."modified_at" is null and excluded."modified_at" is not null or t."modified_at" < excluded."modified_at" or t."modified_at" is not distinct from excluded."modified_at" and not (t."modified_at" is not distinct from excluded."modified_at"))
  returning (t.xmax = 0) as is_new
), counted as materialized (
  select count(*) filter (where w.is_new) as inserted, count(*) filter (where not w.is_new) as updated,
    (select count(*) from incoming as i where i."Standing" = 'newer') + 0 + $28 as older, 0::bigint as deleted
  from written as w
)
select c.inserted, c.updated, c.deleted,
  jobrunner.commit_page($1, $2, $3, $4, $5, row($6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)::jobrunner.page, jobrunner.make_counters(
  pages => $7, fetched => $23, inserted => c.inserted, updated => c.updated,
  unchanged => $27 - c.inserted - c.updated - c.older - c.deleted, skipped_older => c.older,
  skipped_incompatible => $24, filtered => $25, duplicate => $26,
  deleted => c.deleted)) as committed, jobrunner.mark_seen($1, $2, $3, $8, $6, array(
    select jobrunner.key_hash(i."alias_name"::text) from unnest($29::int[], $30::text[]) as i ("Action", "alias_name")
    where i."Action" <> 2
  )) as noted
from counted as c;
-- stadium_alias: asks whether a page would change anything
select coalesce(bool_or(coalesce(r."Standing", 'older') = 'older'), false) as changes,
  count(*) filter (where r."Standing" = 'newer') as older
from (select (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_stadium_alias" as s where s.user_id = $1 and s."alias_name" = r."alias_name" limit 1) as "Standing" from unnest($2::int[], $3::text[], $4::timestamptz[]) as r ("Action", "alias_name", "modified_at") where r."Action" = 0 offset 0) as r;
-- game: writes a page and moves its checkpoint
with incoming as materialized (
  select r.*
  from (select r.*, (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."home_team_id" is not distinct from r."home_team_id" and s."away_team_id" is not distinct from r."away_team_id" and s."stadium_id" is not distinct from r."stadium_id" and s."starts_at" is not distinct from r."starts_at" and s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_game" as s where s.user_id = $1 and s."canonical_id" = r."canonical_id" limit 1) as "Standing" from unnest($29::int[], $30::text[], $31::text[], $32::text[], $33::text[], $34::timestamptz[], $35::timestamptz[]) as r ("Action", "canonical_id", "home_team_id", "away_team_id", "stadium_id", "starts_at", "modified_at") where r."Action" = 0 offset 0) as r
  where r."Standing" is distinct from 'same'
), written as (
  insert into synced."st_game" as t (user_id, "canonical_id", "home_team_id", "away_team_id", "stadium_id", "starts_at", "modified_at")
  select $1, r."canonical_id", r."home_team_id", r."away_team_id", r."stadium_id", r."starts_at", r."modified_at"
  from incoming as r where coalesce(r."Standing", 'older') = 'older'
  on conflict (user_id, "canonical_id") do update set "home_team_id" = excluded."home_team_id", "away_team_id" = excluded."away_team_id", "stadium_id" = excluded."stadium_id", "starts_at" = excluded."starts_at", "modified_at" = excluded."modified_at", last_modified = now(), synced = true where (t."modified_at" is null and excluded."modified_at" is not null or t."modified_at" < excluded."modified_at" or t."modified_at" is not distinct from excluded."modified_at" and not (t."home_team_id" is not distinct from excluded."home_team_id" and t."away_team_id" is not distinct from excluded."away_team_id" and t."stadium_id" is not distinct from excluded."stadium_id" and t."starts_at" is not distinct from excluded."starts_at" and t."modified_at" is not distinct from excluded."modified_at"))
  returning (t.xmax = 0) as is_new, jobrunner.key_hash(t."canonical_id"::text) as hash
), counted as materialized (
  select count(*) filter (where w.is_new) as inserted, count(*) filter (where not w.is_new) as updated,
    (select count(*) from incoming as i where i."Standing" = 'newer') + 0 + $28 as older, 0::bigint as deleted,
    array_agg(w.hash) filter (where w.is_new) as added
  from written as w
)
select c.inserted, c.updated, c.deleted,
  jobrunner.commit_page($1, $2, $3, $4, $5, row($6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)::jobrunner.page, jobrunner.make_counters(
  pages => $7, fetched => $23, inserted => c.inserted, updated => c.updated,
  unchanged => $27 - c.inserted - c.updated - c.older - c.deleted, skipped_older => c.older,
  skipped_incompatible => $24, filtered => $25, duplicate => $26,
  deleted => c.deleted)) as committed, jobrunner.mark_seen($1, $2, $3, $8, $6, c.added) as noted
from counted as c;
-- game: the same, and notes what a full pass shows, for its sweep
with incoming as materialized (
  select r.*
  from (select r.*, (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."home_team_id" is not distinct from r."home_team_id" and s."away_team_id" is not distinct from r."away_team_id" and s."stadium_id" is not distinct from r."stadium_id" and s."starts_at" is not distinct from r."starts_at" and s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_game" as s where s.user_id = $1 and s."canonical_id" = r."canonical_id" limit 1) as "Standing" from unnest($29::int[], $30::text[], $31::text[], $32::text[], $33::text[], $34::timestamptz[], $35::timestamptz[]) as r ("Action", "canonical_id", "home_team_id", "away_team_id", "stadium_id", "starts_at", "modified_at") where r."Action" = 0 offset 0) as r
  where r."Standing" is distinct from 'same'
), written as (
  insert into synced."st_game" as t (user_id, "canonical_id", "home_team_id", "away_team_id", "stadium_id", "starts_at", "modified_at")
  select $1, r."canonical_id", r."home_team_id", r."away_team_id", r."stadium_id", r."starts_at", r."modified_at"
  from incoming as r where coalesce(r."Standing", 'older') = 'older'
  on conflict (user_id, "canonical_id") do update set "home_team_id" = excluded."home_team_id", "away_team_id" = excluded."away_team_id", "stadium_id" = excluded."stadium_id", "starts_at" = excluded."starts_at", "modified_at" = excluded."modified_at", last_modified = now(), synced = true where (t."modified_at" is null and excluded."modified_at" is not null or t."modified_at" < excluded."modified_at" or t."modified_at" is not distinct from excluded."modified_at" and not (t."home_team_id" is not distinct from excluded."home_team_id" and t."away_team_id" is not distinct from excluded."away_team_id" and t."stadium_id" is not distinct from excluded."stadium_id" and t."starts_at" is not distinct from excluded."starts_at" and t."modified_at" is not distinct from excluded."modified_at"))
  returning (t.xmax = 0) as is_new
), counted as materialized (
  select count(*) filter (where w.is_new) as inserted, count(*) filter (where not w.is_new) as updated,
    (select count(*) from incoming as i where i."Standing" = 'newer') + 0 + $28 as older, 0::bigint as deleted
  from written as w
)
select c.inserted, c.updated, c.deleted,
  jobrunner.commit_page($1, $2, $3, $4, $5, row($6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)::jobrunner.page, jobrunner.make_counters(
  pages => $7, fetched => $23, inserted => c.inserted, updated => c.updated,
  unchanged => $27 - c.inserted - c.updated - c.older - c.deleted, skipped_older => c.older,
  skipped_incompatible => $24, filtered => $25, duplicate => $26,
  deleted => c.deleted)) as committed, jobrunner.mark_seen($1, $2, $3, $8, $6, array(
    select jobrunner.key_hash(i."canonical_id"::text) from unnest($29::int[], $30::text[]) as i ("Action", "canonical_id")
    where i."Action" <> 2
  )) as noted
from counted as c;
-- game: asks whether a page would change anything
select coalesce(bool_or(coalesce(r."Standing", 'older') = 'older'), false) as changes,
  count(*) filter (where r."Standing" = 'newer') as older
from (select (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."home_team_id" is not distinct from r."home_team_id" and s."away_team_id" is not distinct from r."away_team_id" and s."stadium_id" is not distinct from r."stadium_id" and s."starts_at" is not distinct from r."starts_at" and s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_game" as s where s.user_id = $1 and s."canonical_id" = r."canonical_id" limit 1) as "Standing" from unnest($2::int[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::timestamptz[]) as r ("Action", "canonical_id", "home_team_id", "away_team_id", "stadium_id", "starts_at", "modified_at") where r."Action" = 0 offset 0) as r;
-- sport: writes a page and moves its checkpoint
with incoming as materialized (
  select r.*
  from (select r.*, (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_sport" as s where s.user_id = $1 and s."sport_id" = r."sport_id" limit 1) as "Standing" from unnest($29::int[], $30::text[], $31::timestamptz[]) as r ("Action", "sport_id", "modified_at") where r."Action" = 0 offset 0) as r
  where r."Standing" is distinct from 'same'
), written as (
  insert into synced."st_sport" as t (user_id, "sport_id", "modified_at")
  select $1, r."sport_id", r."modified_at"
  from incoming as r where coalesce(r."Standing", 'older') = 'older'
  on conflict (user_id, "sport_id") do update set "modified_at" = excluded."modified_at", last_modified = now(), synced = true where (t."modified_at" is null and excluded."modified_at" is not null or t."modified_at" < excluded."modified_at" or t."modified_at" is not distinct from excluded."modified_at" and not (t."modified_at" is not distinct from excluded."modified_at"))
  returning (t.xmax = 0) as is_new, jobrunner.key_hash(t."sport_id"::text) as hash
), counted as materialized (
  select count(*) filter (where w.is_new) as inserted, count(*) filter (where not w.is_new) as updated,
    (select count(*) from incoming as i where i."Standing" = 'newer') + 0 + $28 as older, 0::bigint as deleted,
    array_agg(w.hash) filter (where w.is_new) as added
  from written as w
)
select c.inserted, c.updated, c.deleted,
  jobrunner.commit_page($1, $2, $3, $4, $5, row($6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)::jobrunner.page, jobrunner.make_counters(
  pages => $7, fetched => $23, inserted => c.inserted, updated => c.updated,
  unchanged => $27 - c.inserted - c.updated - c.older - c.deleted, skipped_older => c.older,
  skipped_incompatible => $24, filtered => $25, duplicate => $26,
  deleted => c.deleted)) as committed, jobrunner.mark_seen($1, $2, $3, $8, $6, c.added) as noted
from counted as c;
-- sport: the same, and notes what a full pass shows, for its sweep
with incoming as materialized (
  select r.*
  from (select r.*, (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_sport" as s where s.user_id = $1 and s."sport_id" = r."sport_id" limit 1) as "Standing" from unnest($29::int[], $30::text[], $31::timestamptz[]) as r ("Action", "sport_id", "modified_at") where r."Action" = 0 offset 0) as r
  where r."Standing" is distinct from 'same'
), written as (
  insert into synced."st_sport" as t (user_id, "sport_id", "modified_at")
  select $1, r."sport_id", r."modified_at"
  from incoming as r where coalesce(r."Standing", 'older') = 'older'
  on conflict (user_id, "sport_id") do update set "modified_at" = excluded."modified_at", last_modified = now(), synced = true where (t."modified_at" is null and excluded."modified_at" is not null or t."modified_at" < excluded."modified_at" or t."modified_at" is not distinct from excluded."modified_at" and not (t."modified_at" is not distinct from excluded."modified_at"))
  returning (t.xmax = 0) as is_new
), counted as materialized (
  select count(*) filter (where w.is_new) as inserted, count(*) filter (where not w.is_new) as updated,
    (select count(*) from incoming as i where i."Standing" = 'newer') + 0 + $28 as older, 0::bigint as deleted
  from written as w
)
select c.inserted, c.updated, c.deleted,
  jobrunner.commit_page($1, $2, $3, $4, $5, row($6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)::jobrunner.page, jobrunner.make_counters(
  pages => $7, fetched => $23, inserted => c.inserted, updated => c.updated,
  unchanged => $27 - c.inserted - c.updated - c.older - c.deleted, skipped_older => c.older,
  skipped_incompatible => $24, filtered => $25, duplicate => $26,
  deleted => c.deleted)) as committed, jobrunner.mark_seen($1, $2, $3, $8, $6, array(
    select jobrunner.key_hash(i."sport_id"::text) from unnest($29::int[], $30::text[]) as i ("Action", "sport_id")
    where i."Action" <> 2
  )) as noted
from counted as c;
-- sport: asks whether a page would change anything
select coalesce(bool_or(coalesce(r."Standing", 'older') = 'older'), false) as changes,
  count(*) filter (where r."Standing" = 'newer') as older
from (select (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_sport" as s where s.user_id = $1 and s."sport_id" = r."sport_id" limit 1) as "Standing" from unnest($2::int[], $3::text[], $4::timestamptz[]) as r ("Action", "sport_id", "modified_at") where r."Action" = 0 offset 0) as r;
