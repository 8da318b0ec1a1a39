-- Made by jobrunner migrate
create table synced."st_game" (
  "user_id" bigint not null,
  "canonical_id" text not null,
  "home_team_id" text not null,
  "away_team_id" text not null,
  "stadium_id" text not null,
  "starts_at" timestamp with time zone not null,
  "sport_id" text,
  "season" text,
  "is_playoff" boolean,
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
comment on column synced."st_game"."sport_id" is 'Field ''sport_id'' of entity ''game'' of job file sportstime.refresh.';
comment on column synced."st_game"."season" is 'Field ''season'' of entity ''game'' of job file sportstime.refresh.';
comment on column synced."st_game"."is_playoff" is 'Field ''is_playoff'' of entity ''game'' of job file sportstime.refresh.';
comment on column synced."st_game"."modified_at" is 'Field ''modified_at'' of entity ''game'' of job file sportstime.refresh.';
comment on column synced."st_game"."inserted_at" is 'When the record was first seen here.';
comment on column synced."st_game"."last_modified" is 'When the row was last changed here.';
comment on column synced."st_game"."synced" is 'False: changed here and not yet sent to the source.';
create index "st_game_by_starts_at" on synced."st_game" ("user_id", "starts_at");
comment on index synced."st_game_by_starts_at" is 'A user''s rows by starts_at.';
create table synced."st_league_structure" (
  "user_id" bigint not null,
  "structure_id" text not null,
  "sport_id" text,
  "league" text,
  "kind" text,
  "name" text,
  "abbreviation" text,
  "parent_id" text,
  "display_order" bigint,
  "modified_at" timestamp with time zone,
  "inserted_at" timestamp with time zone default now() not null,
  "last_modified" timestamp with time zone default now() not null,
  "synced" boolean default true not null,
  primary key ("user_id", "structure_id")
);
comment on table synced."st_league_structure" is 'Records of entity ''league_structure'' of job file sportstime.refresh.';
comment on column synced."st_league_structure"."user_id" is 'Whose record: jobrunner.users.id.';
comment on column synced."st_league_structure"."structure_id" is 'Field ''structure_id'' of entity ''league_structure'' of job file sportstime.refresh.';
comment on column synced."st_league_structure"."sport_id" is 'Field ''sport_id'' of entity ''league_structure'' of job file sportstime.refresh.';
comment on column synced."st_league_structure"."league" is 'Field ''league'' of entity ''league_structure'' of job file sportstime.refresh.';
comment on column synced."st_league_structure"."kind" is 'Field ''kind'' of entity ''league_structure'' of job file sportstime.refresh.';
comment on column synced."st_league_structure"."name" is 'Field ''name'' of entity ''league_structure'' of job file sportstime.refresh.';
comment on column synced."st_league_structure"."abbreviation" is 'Field ''abbreviation'' of entity ''league_structure'' of job file sportstime.refresh.';
comment on column synced."st_league_structure"."parent_id" is 'Field ''parent_id'' of entity ''league_structure'' of job file sportstime.refresh.';
comment on column synced."st_league_structure"."display_order" is 'Field ''display_order'' of entity ''league_structure'' of job file sportstime.refresh.';
comment on column synced."st_league_structure"."modified_at" is 'Field ''modified_at'' of entity ''league_structure'' of job file sportstime.refresh.';
comment on column synced."st_league_structure"."inserted_at" is 'When the record was first seen here.';
comment on column synced."st_league_structure"."last_modified" is 'When the row was last changed here.';
comment on column synced."st_league_structure"."synced" is 'False: changed here and not yet sent to the source.';
create table synced."st_sport" (
  "user_id" bigint not null,
  "sport_id" text not null,
  "name" text,
  "abbreviation" text,
  "color" text,
  "modified_at" timestamp with time zone,
  "inserted_at" timestamp with time zone default now() not null,
  "last_modified" timestamp with time zone default now() not null,
  "synced" boolean default true not null,
  primary key ("user_id", "sport_id")
);
comment on table synced."st_sport" is 'Records of entity ''sport'' of job file sportstime.refresh.';
comment on column synced."st_sport"."user_id" is 'Whose record: jobrunner.users.id.';
comment on column synced."st_sport"."sport_id" is 'Field ''sport_id'' of entity ''sport'' of job file sportstime.refresh.';
comment on column synced."st_sport"."name" is 'Field ''name'' of entity ''sport'' of job file sportstime.refresh.';
comment on column synced."st_sport"."abbreviation" is 'Field ''abbreviation'' of entity ''sport'' of job file sportstime.refresh.';
comment on column synced."st_sport"."color" is 'Field ''color'' of entity ''sport'' of job file sportstime.refresh.';
comment on column synced."st_sport"."modified_at" is 'Field ''modified_at'' of entity ''sport'' of job file sportstime.refresh.';
comment on column synced."st_sport"."inserted_at" is 'When the record was first seen here.';
comment on column synced."st_sport"."last_modified" is 'When the row was last changed here.';
comment on column synced."st_sport"."synced" is 'False: changed here and not yet sent to the source.';
create table synced."st_stadium" (
  "user_id" bigint not null,
  "canonical_id" text not null,
  "name" text not null,
  "city" text,
  "state" text,
  "capacity" bigint,
  "latitude" double precision,
  "longitude" double precision,
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
comment on column synced."st_stadium"."city" is 'Field ''city'' of entity ''stadium'' of job file sportstime.refresh.';
comment on column synced."st_stadium"."state" is 'Field ''state'' of entity ''stadium'' of job file sportstime.refresh.';
comment on column synced."st_stadium"."capacity" is 'Field ''capacity'' of entity ''stadium'' of job file sportstime.refresh.';
comment on column synced."st_stadium"."latitude" is 'Field ''latitude'' of entity ''stadium'' of job file sportstime.refresh.';
comment on column synced."st_stadium"."longitude" is 'Field ''longitude'' of entity ''stadium'' of job file sportstime.refresh.';
comment on column synced."st_stadium"."modified_at" is 'Field ''modified_at'' of entity ''stadium'' of job file sportstime.refresh.';
comment on column synced."st_stadium"."inserted_at" is 'When the record was first seen here.';
comment on column synced."st_stadium"."last_modified" is 'When the row was last changed here.';
comment on column synced."st_stadium"."synced" is 'False: changed here and not yet sent to the source.';
create table synced."st_stadium_alias" (
  "user_id" bigint not null,
  "alias_name" text not null,
  "stadium_canonical_id" text,
  "modified_at" timestamp with time zone,
  "inserted_at" timestamp with time zone default now() not null,
  "last_modified" timestamp with time zone default now() not null,
  "synced" boolean default true not null,
  primary key ("user_id", "alias_name")
);
comment on table synced."st_stadium_alias" is 'Records of entity ''stadium_alias'' of job file sportstime.refresh.';
comment on column synced."st_stadium_alias"."user_id" is 'Whose record: jobrunner.users.id.';
comment on column synced."st_stadium_alias"."alias_name" is 'Field ''alias_name'' of entity ''stadium_alias'' of job file sportstime.refresh.';
comment on column synced."st_stadium_alias"."stadium_canonical_id" is 'Field ''stadium_canonical_id'' of entity ''stadium_alias'' of job file sportstime.refresh.';
comment on column synced."st_stadium_alias"."modified_at" is 'Field ''modified_at'' of entity ''stadium_alias'' of job file sportstime.refresh.';
comment on column synced."st_stadium_alias"."inserted_at" is 'When the record was first seen here.';
comment on column synced."st_stadium_alias"."last_modified" is 'When the row was last changed here.';
comment on column synced."st_stadium_alias"."synced" is 'False: changed here and not yet sent to the source.';
create table synced."st_team" (
  "user_id" bigint not null,
  "canonical_id" text not null,
  "stadium_canonical_id" text not null,
  "name" text,
  "abbreviation" text,
  "city" text,
  "sport_id" text,
  "structure_id" text,
  "primary_color" text,
  "secondary_color" text,
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
comment on column synced."st_team"."name" is 'Field ''name'' of entity ''team'' of job file sportstime.refresh.';
comment on column synced."st_team"."abbreviation" is 'Field ''abbreviation'' of entity ''team'' of job file sportstime.refresh.';
comment on column synced."st_team"."city" is 'Field ''city'' of entity ''team'' of job file sportstime.refresh.';
comment on column synced."st_team"."sport_id" is 'Field ''sport_id'' of entity ''team'' of job file sportstime.refresh.';
comment on column synced."st_team"."structure_id" is 'Field ''structure_id'' of entity ''team'' of job file sportstime.refresh.';
comment on column synced."st_team"."primary_color" is 'Field ''primary_color'' of entity ''team'' of job file sportstime.refresh.';
comment on column synced."st_team"."secondary_color" is 'Field ''secondary_color'' of entity ''team'' of job file sportstime.refresh.';
comment on column synced."st_team"."modified_at" is 'Field ''modified_at'' of entity ''team'' of job file sportstime.refresh.';
comment on column synced."st_team"."inserted_at" is 'When the record was first seen here.';
comment on column synced."st_team"."last_modified" is 'When the row was last changed here.';
comment on column synced."st_team"."synced" is 'False: changed here and not yet sent to the source.';
create table synced."st_team_alias" (
  "user_id" bigint not null,
  "alias_id" text not null,
  "team_canonical_id" text,
  "kind" text,
  "alias" text,
  "modified_at" timestamp with time zone,
  "inserted_at" timestamp with time zone default now() not null,
  "last_modified" timestamp with time zone default now() not null,
  "synced" boolean default true not null,
  primary key ("user_id", "alias_id")
);
comment on table synced."st_team_alias" is 'Records of entity ''team_alias'' of job file sportstime.refresh.';
comment on column synced."st_team_alias"."user_id" is 'Whose record: jobrunner.users.id.';
comment on column synced."st_team_alias"."alias_id" is 'Field ''alias_id'' of entity ''team_alias'' of job file sportstime.refresh.';
comment on column synced."st_team_alias"."team_canonical_id" is 'Field ''team_canonical_id'' of entity ''team_alias'' of job file sportstime.refresh.';
comment on column synced."st_team_alias"."kind" is 'Field ''kind'' of entity ''team_alias'' of job file sportstime.refresh.';
comment on column synced."st_team_alias"."alias" is 'Field ''alias'' of entity ''team_alias'' of job file sportstime.refresh.';
comment on column synced."st_team_alias"."modified_at" is 'Field ''modified_at'' of entity ''team_alias'' of job file sportstime.refresh.';
comment on column synced."st_team_alias"."inserted_at" is 'When the record was first seen here.';
comment on column synced."st_team_alias"."last_modified" is 'When the row was last changed here.';
comment on column synced."st_team_alias"."synced" is 'False: changed here and not yet sent to the source.';

-- Sent by runs of sportstime.refresh
-- stadium: writes a page and moves its checkpoint
with incoming as materialized (
  select r.*
  from (select r.*, (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."name" is not distinct from r."name" and s."city" is not distinct from r."city" and s."state" is not distinct from r."state" and s."capacity" is not distinct from r."capacity" and s."latitude" is not distinct from r."latitude" and s."longitude" is not distinct from r."longitude" and s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_stadium" as s where s.user_id = $1 and s."canonical_id" = r."canonical_id" limit 1) as "Standing" from unnest($14::int[], $15::text[], $16::text[], $17::text[], $18::text[], $19::bigint[], $20::double precision[], $21::double precision[], $22::timestamptz[]) as r ("Action", "canonical_id", "name", "city", "state", "capacity", "latitude", "longitude", "modified_at") where r."Action" = 0 offset 0) as r
  where r."Standing" is distinct from 'same'
), written as (
  insert into synced."st_stadium" as t (user_id, "canonical_id", "name", "city", "state", "capacity", "latitude", "longitude", "modified_at")
  select $1, r."canonical_id", r."name", r."city", r."state", r."capacity", r."latitude", r."longitude", r."modified_at"
  from incoming as r where coalesce(r."Standing", 'older') = 'older'
  on conflict (user_id, "canonical_id") do update set "name" = excluded."name", "city" = excluded."city", "state" = excluded."state", "capacity" = excluded."capacity", "latitude" = excluded."latitude", "longitude" = excluded."longitude", "modified_at" = excluded."modified_at", last_modified = now(), synced = true where (t."modified_at" is null and excluded."modified_at" is not null or t."modified_at" < excluded."modified_at" or t."modified_at" is not distinct from excluded."modified_at" and not (t."name" is not distinct from excluded."name" and t."city" is not distinct from excluded."city" and t."state" is not distinct from excluded."state" and t."capacity" is not distinct from excluded."capacity" and t."latitude" is not distinct from excluded."latitude" and t."longitude" is not distinct from excluded."longitude" and t."modified_at" is not distinct from excluded."modified_at"))
  returning (t.xmax = 0) as is_new, jobrunner.key_hash(t."canonical_id"::text) as hash
), counted as materialized (
  select count(*) filter (where w.is_new) as inserted, count(*) filter (where not w.is_new) as updated,
    (select count(*) from incoming as i where i."Standing" = 'newer') + 0 + $13 as older, 0::bigint as deleted,
    array_agg(w.hash) filter (where w.is_new) as added
  from written as w
)
select c.inserted, c.updated, c.deleted,
  jobrunner.commit_page($1, $2, $3, $4, $5, $6, $7, jobrunner.make_counters(
  pages => $6, fetched => $8, inserted => c.inserted, updated => c.updated,
  unchanged => $12 - c.inserted - c.updated - c.older - c.deleted, skipped_older => c.older,
  skipped_incompatible => $9, filtered => $10, duplicate => $11,
  deleted => c.deleted)) as committed, jobrunner.mark_seen($1, $2, $3, ($5 ->> 'pass_number')::integer, ($5 ->> 'page_number')::integer, c.added) as noted
from counted as c;
-- stadium: the same, and notes what a full pass shows, for its sweep
with incoming as materialized (
  select r.*
  from (select r.*, (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."name" is not distinct from r."name" and s."city" is not distinct from r."city" and s."state" is not distinct from r."state" and s."capacity" is not distinct from r."capacity" and s."latitude" is not distinct from r."latitude" and s."longitude" is not distinct from r."longitude" and s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_stadium" as s where s.user_id = $1 and s."canonical_id" = r."canonical_id" limit 1) as "Standing" from unnest($14::int[], $15::text[], $16::text[], $17::text[], $18::text[], $19::bigint[], $20::double precision[], $21::double precision[], $22::timestamptz[]) as r ("Action", "canonical_id", "name", "city", "state", "capacity", "latitude", "longitude", "modified_at") where r."Action" = 0 offset 0) as r
  where r."Standing" is distinct from 'same'
), written as (
  insert into synced."st_stadium" as t (user_id, "canonical_id", "name", "city", "state", "capacity", "latitude", "longitude", "modified_at")
  select $1, r."canonical_id", r."name", r."city", r."state", r."capacity", r."latitude", r."longitude", r."modified_at"
  from incoming as r where coalesce(r."Standing", 'older') = 'older'
  on conflict (user_id, "canonical_id") do update set "name" = excluded."name", "city" = excluded."city", "state" = excluded."state", "capacity" = excluded."capacity", "latitude" = excluded."latitude", "longitude" = excluded."longitude", "modified_at" = excluded."modified_at", last_modified = now(), synced = true where (t."modified_at" is null and excluded."modified_at" is not null or t."modified_at" < excluded."modified_at" or t."modified_at" is not distinct from excluded."modified_at" and not (t."name" is not distinct from excluded."name" and t."city" is not distinct from excluded."city" and t."state" is not distinct from excluded."state" and t."capacity" is not distinct from excluded."capacity" and t."latitude" is not distinct from excluded."latitude" and t."longitude" is not distinct from excluded."longitude" and t."modified_at" is not distinct from excluded."modified_at"))
  returning (t.xmax = 0) as is_new
), counted as materialized (
  select count(*) filter (where w.is_new) as inserted, count(*) filter (where not w.is_new) as updated,
    (select count(*) from incoming as i where i."Standing" = 'newer') + 0 + $13 as older, 0::bigint as deleted
  from written as w
)
select c.inserted, c.updated, c.deleted,
  jobrunner.commit_page($1, $2, $3, $4, $5, $6, $7, jobrunner.make_counters(
  pages => $6, fetched => $8, inserted => c.inserted, updated => c.updated,
  unchanged => $12 - c.inserted - c.updated - c.older - c.deleted, skipped_older => c.older,
  skipped_incompatible => $9, filtered => $10, duplicate => $11,
  deleted => c.deleted)) as committed, jobrunner.mark_seen($1, $2, $3, ($5 ->> 'pass_number')::integer, ($5 ->> 'page_number')::integer, array(
    select jobrunner.key_hash(i."canonical_id"::text) from unnest($14::int[], $15::text[]) as i ("Action", "canonical_id")
    where i."Action" <> 2
  )) as noted
from counted as c;
-- stadium: asks whether a page would change anything
select coalesce(bool_or(coalesce(r."Standing", 'older') = 'older'), false) as changes,
  count(*) filter (where r."Standing" = 'newer') as older
from (select (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."name" is not distinct from r."name" and s."city" is not distinct from r."city" and s."state" is not distinct from r."state" and s."capacity" is not distinct from r."capacity" and s."latitude" is not distinct from r."latitude" and s."longitude" is not distinct from r."longitude" and s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_stadium" as s where s.user_id = $1 and s."canonical_id" = r."canonical_id" limit 1) as "Standing" from unnest($2::int[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::double precision[], $9::double precision[], $10::timestamptz[]) as r ("Action", "canonical_id", "name", "city", "state", "capacity", "latitude", "longitude", "modified_at") where r."Action" = 0 offset 0) as r;
-- league_structure: writes a page and moves its checkpoint
with incoming as materialized (
  select r.*
  from (select r.*, (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."sport_id" is not distinct from r."sport_id" and s."league" is not distinct from r."league" and s."kind" is not distinct from r."kind" and s."name" is not distinct from r."name" and s."abbreviation" is not distinct from r."abbreviation" and s."parent_id" is not distinct from r."parent_id" and s."display_order" is not distinct from r."display_order" and s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_league_structure" as s where s.user_id = $1 and s."structure_id" = r."structure_id" limit 1) as "Standing" from unnest($14::int[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::text[], $22::bigint[], $23::timestamptz[]) as r ("Action", "structure_id", "sport_id", "league", "kind", "name", "abbreviation", "parent_id", "display_order", "modified_at") where r."Action" = 0 offset 0) as r
  where r."Standing" is distinct from 'same'
), written as (
  insert into synced."st_league_structure" as t (user_id, "structure_id", "sport_id", "league", "kind", "name", "abbreviation", "parent_id", "display_order", "modified_at")
  select $1, r."structure_id", r."sport_id", r."league", r."kind", r."name", r."abbreviation", r."parent_id", r."display_order", r."modified_at"
  from incoming as r where coalesce(r."Standing", 'older') = 'older'
  on conflict (user_id, "structure_id") do update set "sport_id" = excluded."sport_id", "league" = excluded."league", "kind" = excluded."kind", "name" = excluded."name", "abbreviation" = excluded."abbreviation", "parent_id" = excluded."parent_id", "display_order" = excluded."display_order", "modified_at" = excluded."modified_at", last_modified = now(), synced = true where (t."modified_at" is null and excluded."modified_at" is not null or t."modified_at" < excluded."modified_at" or t."modified_at" is not distinct from excluded."modified_at" and not (t."sport_id" is not distinct from excluded."sport_id" and t."league" is not distinct from excluded."league" and t."kind" is not distinct from excluded."kind" and t."name" is not distinct from excluded."name" and t."abbreviation" is not distinct from excluded."abbreviation" and t."parent_id" is not distinct from excluded."parent_id" and t."display_order" is not distinct from excluded."display_order" and t."modified_at" is not distinct from excluded."modified_at"))
  returning (t.xmax = 0) as is_new, jobrunner.key_hash(t."structure_id"::text) as hash
), counted as materialized (
  select count(*) filter (where w.is_new) as inserted, count(*) filter (where not w.is_new) as updated,
    (select count(*) from incoming as i where i."Standing" = 'newer') + 0 + $13 as older, 0::bigint as deleted,
    array_agg(w.hash) filter (where w.is_new) as added
  from written as w
)
select c.inserted, c.updated, c.deleted,
  jobrunner.commit_page($1, $2, $3, $4, $5, $6, $7, jobrunner.make_counters(
  pages => $6, fetched => $8, inserted => c.inserted, updated => c.updated,
  unchanged => $12 - c.inserted - c.updated - c.older - c.deleted, skipped_older => c.older,
  skipped_incompatible => $9, filtered => $10, duplicate => $11,
  deleted => c.deleted)) as committed, jobrunner.mark_seen($1, $2, $3, ($5 ->> 'pass_number')::integer, ($5 ->> 'page_number')::integer, c.added) as noted
from counted as c;
-- league_structure: the same, and notes what a full pass shows, for its sweep
with incoming as materialized (
  select r.*
  from (select r.*, (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."sport_id" is not distinct from r."sport_id" and s."league" is not distinct from r."league" and s."kind" is not distinct from r."kind" and s."name" is not distinct from r."name" and s."abbreviation" is not distinct from r."abbreviation" and s."parent_id" is not distinct from r."parent_id" and s."display_order" is not distinct from r."display_order" and s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_league_structure" as s where s.user_id = $1 and s."structure_id" = r."structure_id" limit 1) as "Standing" from unnest($14::int[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::text[], $22::bigint[], $23::timestamptz[]) as r ("Action", "structure_id", "sport_id", "league", "kind", "name", "abbreviation", "parent_id", "display_order", "modified_at") where r."Action" = 0 offset 0) as r
  where r."Standing" is distinct from 'same'
), written as (
  insert into synced."st_league_structure" as t (user_id, "structure_id", "sport_id", "league", "kind", "name", "abbreviation", "parent_id", "display_order", "modified_at")
  select $1, r."structure_id", r."sport_id", r."league", r."kind", r."name", r."abbreviation", r."parent_id", r."display_order", r."modified_at"
  from incoming as r where coalesce(r."Standing", 'older') = 'older'
  on conflict (user_id, "structure_id") do update set "sport_id" = excluded."sport_id", "league" = excluded."league", "kind" = excluded."kind", "name" = excluded."name", "abbreviation" = excluded."abbreviation", "parent_id" = excluded."parent_id", "display_order" = excluded."display_order", "modified_at" = excluded."modified_at", last_modified = now(), synced = true where (t."modified_at" is null and excluded."modified_at" is not null or t."modified_at" < excluded."modified_at" or t."modified_at" is not distinct from excluded."modified_at" and not (t."sport_id" is not distinct from excluded."sport_id" and t."league" is not distinct from excluded."league" and t."kind" is not distinct from excluded."kind" and t."name" is not distinct from excluded."name" and t."abbreviation" is not distinct from excluded."abbreviation" and t."parent_id" is not distinct from excluded."parent_id" and t."display_order" is not distinct from excluded."display_order" and t."modified_at" is not distinct from excluded."modified_at"))
  returning (t.xmax = 0) as is_new
), counted as materialized (
  select count(*) filter (where w.is_new) as inserted, count(*) filter (where not w.is_new) as updated,
    (select count(*) from incoming as i where i."Standing" = 'newer') + 0 + $13 as older, 0::bigint as deleted
  from written as w
)
select c.inserted, c.updated, c.deleted,
  jobrunner.commit_page($1, $2, $3, $4, $5, $6, $7, jobrunner.make_counters(
  pages => $6, fetched => $8, inserted => c.inserted, updated => c.updated,
  unchanged => $12 - c.inserted - c.updated - c.older - c.deleted, skipped_older => c.older,
  skipped_incompatible => $9, filtered => $10, duplicate => $11,
  deleted => c.deleted)) as committed, jobrunner.mark_seen($1, $2, $3, ($5 ->> 'pass_number')::integer, ($5 ->> 'page_number')::integer, array(
    select jobrunner.key_hash(i."structure_id"::text) from unnest($14::int[], $15::text[]) as i ("Action", "structure_id")
    where i."Action" <> 2
  )) as noted
from counted as c;
-- league_structure: asks whether a page would change anything
select coalesce(bool_or(coalesce(r."Standing", 'older') = 'older'), false) as changes,
  count(*) filter (where r."Standing" = 'newer') as older
from (select (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."sport_id" is not distinct from r."sport_id" and s."league" is not distinct from r."league" and s."kind" is not distinct from r."kind" and s."name" is not distinct from r."name" and s."abbreviation" is not distinct from r."abbreviation" and s."parent_id" is not distinct from r."parent_id" and s."display_order" is not distinct from r."display_order" and s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_league_structure" as s where s.user_id = $1 and s."structure_id" = r."structure_id" limit 1) as "Standing" from unnest($2::int[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::bigint[], $11::timestamptz[]) as r ("Action", "structure_id", "sport_id", "league", "kind", "name", "abbreviation", "parent_id", "display_order", "modified_at") where r."Action" = 0 offset 0) as r;
-- team: writes a page and moves its checkpoint
with incoming as materialized (
  select r.*
  from (select r.*, (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."stadium_canonical_id" is not distinct from r."stadium_canonical_id" and s."name" is not distinct from r."name" and s."abbreviation" is not distinct from r."abbreviation" and s."city" is not distinct from r."city" and s."sport_id" is not distinct from r."sport_id" and s."structure_id" is not distinct from r."structure_id" and s."primary_color" is not distinct from r."primary_color" and s."secondary_color" is not distinct from r."secondary_color" and s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_team" as s where s.user_id = $1 and s."canonical_id" = r."canonical_id" limit 1) as "Standing" from unnest($14::int[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::text[], $22::text[], $23::text[], $24::timestamptz[]) as r ("Action", "canonical_id", "stadium_canonical_id", "name", "abbreviation", "city", "sport_id", "structure_id", "primary_color", "secondary_color", "modified_at") where r."Action" = 0 offset 0) as r
  where r."Standing" is distinct from 'same'
), written as (
  insert into synced."st_team" as t (user_id, "canonical_id", "stadium_canonical_id", "name", "abbreviation", "city", "sport_id", "structure_id", "primary_color", "secondary_color", "modified_at")
  select $1, r."canonical_id", r."stadium_canonical_id", r."name", r."abbreviation", r."city", r."sport_id", r."structure_id", r."primary_color", r."secondary_color", r."modified_at"
  from incoming as r where coalesce(r."Standing", 'older') = 'older'
  on conflict (user_id, "canonical_id") do update set "stadium_canonical_id" = excluded."stadium_canonical_id", "name" = excluded."name", "abbreviation" = excluded."abbreviation", "city" = excluded."city", "sport_id" = excluded."sport_id", "structure_id" = excluded."structure_id", "primary_color" = excluded."primary_color", "secondary_color" = excluded."secondary_color", "modified_at" = excluded."modified_at", last_modified = now(), synced = true where (t."modified_at" is null and excluded."modified_at" is not null or t."modified_at" < excluded."modified_at" or t."modified_at" is not distinct from excluded."modified_at" and not (t."stadium_canonical_id" is not distinct from excluded."stadium_canonical_id" and t."name" is not distinct from excluded."name" and t."abbreviation" is not distinct from excluded."abbreviation" and t."city" is not distinct from excluded."city" and t."sport_id" is not distinct from excluded."sport_id" and t."structure_id" is not distinct from excluded."structure_id" and t."primary_color" is not distinct from excluded."primary_color" and t."secondary_color" is not distinct from excluded."secondary_color" and t."modified_at" is not distinct from excluded."modified_at"))
  returning (t.xmax = 0) as is_new, jobrunner.key_hash(t."canonical_id"::text) as hash
), counted as materialized (
  select count(*) filter (where w.is_new) as inserted, count(*) filter (where not w.is_new) as updated,
    (select count(*) from incoming as i where i."Standing" = 'newer') + 0 + $13 as older, 0::bigint as deleted,
    array_agg(w.hash) filter (where w.is_new) as added
  from written as w
)
select c.inserted, c.updated, c.deleted,
  jobrunner.commit_page($1, $2, $3, $4, $5, $6, $7, jobrunner.make_counters(
  pages => $6, fetched => $8, inserted => c.inserted, updated => c.updated,
  unchanged => $12 - c.inserted - c.updated - c.older - c.deleted, skipped_older => c.older,
  skipped_incompatible => $9, filtered => $10, duplicate => $11,
  deleted => c.deleted)) as committed, jobrunner.mark_seen($1, $2, $3, ($5 ->> 'pass_number')::integer, ($5 ->> 'page_number')::integer, c.added) as noted
from counted as c;
-- team: the same, and notes what a full pass shows, for its sweep
with incoming as materialized (
  select r.*
  from (select r.*, (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."stadium_canonical_id" is not distinct from r."stadium_canonical_id" and s."name" is not distinct from r."name" and s."abbreviation" is not distinct from r."abbreviation" and s."city" is not distinct from r."city" and s."sport_id" is not distinct from r."sport_id" and s."structure_id" is not distinct from r."structure_id" and s."primary_color" is not distinct from r."primary_color" and s."secondary_color" is not distinct from r."secondary_color" and s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_team" as s where s.user_id = $1 and s."canonical_id" = r."canonical_id" limit 1) as "Standing" from unnest($14::int[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::text[], $22::text[], $23::text[], $24::timestamptz[]) as r ("Action", "canonical_id", "stadium_canonical_id", "name", "abbreviation", "city", "sport_id", "structure_id", "primary_color", "secondary_color", "modified_at") where r."Action" = 0 offset 0) as r
  where r."Standing" is distinct from 'same'
), written as (
  insert into synced."st_team" as t (user_id, "canonical_id", "stadium_canonical_id", "name", "abbreviation", "city", "sport_id", "structure_id", "primary_color", "secondary_color", "modified_at")
  select $1, r."canonical_id", r."stadium_canonical_id", r."name", r."abbreviation", r."city", r."sport_id", r."structure_id", r."primary_color", r."secondary_color", r."modified_at"
  from incoming as r where coalesce(r."Standing", 'older') = 'older'
  on conflict (user_id, "canonical_id") do update set "stadium_canonical_id" = excluded."stadium_canonical_id", "name" = excluded."name", "abbreviation" = excluded."abbreviation", "city" = excluded."city", "sport_id" = excluded."sport_id", "structure_id" = excluded."structure_id", "primary_color" = excluded."primary_color", "secondary_color" = excluded."secondary_color", "modified_at" = excluded."modified_at", last_modified = now(), synced = true where (t."modified_at" is null and excluded."modified_at" is not null or t."modified_at" < excluded."modified_at" or t."modified_at" is not distinct from excluded."modified_at" and not (t."stadium_canonical_id" is not distinct from excluded."stadium_canonical_id" and t."name" is not distinct from excluded."name" and t."abbreviation" is not distinct from excluded."abbreviation" and t."city" is not distinct from excluded."city" and t."sport_id" is not distinct from excluded."sport_id" and t."structure_id" is not distinct from excluded."structure_id" and t."primary_color" is not distinct from excluded."primary_color" and t."secondary_color" is not distinct from excluded."secondary_color" and t."modified_at" is not distinct from excluded."modified_at"))
  returning (t.xmax = 0) as is_new
), counted as materialized (
  select count(*) filter (where w.is_new) as inserted, count(*) filter (where not w.is_new) as updated,
    (select count(*) from incoming as i where i."Standing" = 'newer') + 0 + $13 as older, 0::bigint as deleted
  from written as w
)
select c.inserted, c.updated, c.deleted,
  jobrunner.commit_page($1, $2, $3, $4, $5, $6, $7, jobrunner.make_counters(
  pages => $6, fetched => $8, inserted => c.inserted, updated => c.updated,
  unchanged => $12 - c.inserted - c.updated - c.older - c.deleted, skipped_older => c.older,
  skipped_incompatible => $9, filtered => $10, duplicate => $11,
  deleted => c.deleted)) as committed, jobrunner.mark_seen($1, $2, $3, ($5 ->> 'pass_number')::integer, ($5 ->> 'page_number')::integer, array(
    select jobrunner.key_hash(i."canonical_id"::text) from unnest($14::int[], $15::text[]) as i ("Action", "canonical_id")
    where i."Action" <> 2
  )) as noted
from counted as c;
-- team: asks whether a page would change anything
select coalesce(bool_or(coalesce(r."Standing", 'older') = 'older'), false) as changes,
  count(*) filter (where r."Standing" = 'newer') as older
from (select (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."stadium_canonical_id" is not distinct from r."stadium_canonical_id" and s."name" is not distinct from r."name" and s."abbreviation" is not distinct from r."abbreviation" and s."city" is not distinct from r."city" and s."sport_id" is not distinct from r."sport_id" and s."structure_id" is not distinct from r."structure_id" and s."primary_color" is not distinct from r."primary_color" and s."secondary_color" is not distinct from r."secondary_color" and s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_team" as s where s.user_id = $1 and s."canonical_id" = r."canonical_id" limit 1) as "Standing" from unnest($2::int[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::timestamptz[]) as r ("Action", "canonical_id", "stadium_canonical_id", "name", "abbreviation", "city", "sport_id", "structure_id", "primary_color", "secondary_color", "modified_at") where r."Action" = 0 offset 0) as r;
-- team_alias: writes a page and moves its checkpoint
with incoming as materialized (
  select r.*
  from (select r.*, (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."team_canonical_id" is not distinct from r."team_canonical_id" and s."kind" is not distinct from r."kind" and s."alias" is not distinct from r."alias" and s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_team_alias" as s where s.user_id = $1 and s."alias_id" = r."alias_id" limit 1) as "Standing" from unnest($14::int[], $15::text[], $16::text[], $17::text[], $18::text[], $19::timestamptz[]) as r ("Action", "alias_id", "team_canonical_id", "kind", "alias", "modified_at") where r."Action" = 0 offset 0) as r
  where r."Standing" is distinct from 'same'
), written as (
  insert into synced."st_team_alias" as t (user_id, "alias_id", "team_canonical_id", "kind", "alias", "modified_at")
  select $1, r."alias_id", r."team_canonical_id", r."kind", r."alias", r."modified_at"
  from incoming as r where coalesce(r."Standing", 'older') = 'older'
  on conflict (user_id, "alias_id") do update set "team_canonical_id" = excluded."team_canonical_id", "kind" = excluded."kind", "alias" = excluded."alias", "modified_at" = excluded."modified_at", last_modified = now(), synced = true where (t."modified_at" is null and excluded."modified_at" is not null or t."modified_at" < excluded."modified_at" or t."modified_at" is not distinct from excluded."modified_at" and not (t."team_canonical_id" is not distinct from excluded."team_canonical_id" and t."kind" is not distinct from excluded."kind" and t."alias" is not distinct from excluded."alias" and t."modified_at" is not distinct from excluded."modified_at"))
  returning (t.xmax = 0) as is_new, jobrunner.key_hash(t."alias_id"::text) as hash
), counted as materialized (
  select count(*) filter (where w.is_new) as inserted, count(*) filter (where not w.is_new) as updated,
    (select count(*) from incoming as i where i."Standing" = 'newer') + 0 + $13 as older, 0::bigint as deleted,
    array_agg(w.hash) filter (where w.is_new) as added
  from written as w
)
select c.inserted, c.updated, c.deleted,
  jobrunner.commit_page($1, $2, $3, $4, $5, $6, $7, jobrunner.make_counters(
  pages => $6, fetched => $8, inserted => c.inserted, updated => c.updated,
  unchanged => $12 - c.inserted - c.updated - c.older - c.deleted, skipped_older => c.older,
  skipped_incompatible => $9, filtered => $10, duplicate => $11,
  deleted => c.deleted)) as committed, jobrunner.mark_seen($1, $2, $3, ($5 ->> 'pass_number')::integer, ($5 ->> 'page_number')::integer, c.added) as noted
from counted as c;
-- team_alias: the same, and notes what a full pass shows, for its sweep
with incoming as materialized (
  select r.*
  from (select r.*, (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."team_canonical_id" is not distinct from r."team_canonical_id" and s."kind" is not distinct from r."kind" and s."alias" is not distinct from r."alias" and s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_team_alias" as s where s.user_id = $1 and s."alias_id" = r."alias_id" limit 1) as "Standing" from unnest($14::int[], $15::text[], $16::text[], $17::text[], $18::text[], $19::timestamptz[]) as r ("Action", "alias_id", "team_canonical_id", "kind", "alias", "modified_at") where r."Action" = 0 offset 0) as r
  where r."Standing" is distinct from 'same'
), written as (
  insert into synced."st_team_alias" as t (user_id, "alias_id", "team_canonical_id", "kind", "alias", "modified_at")
  select $1, r."alias_id", r."team_canonical_id", r."kind", r."alias", r."modified_at"
  from incoming as r where coalesce(r."Standing", 'older') = 'older'
  on conflict (user_id, "alias_id") do update set "team_canonical_id" = excluded."team_canonical_id", "kind" = excluded."kind", "alias" = excluded."alias", "modified_at" = excluded."modified_at", last_modified = now(), synced = true where (t."modified_at" is null and excluded."modified_at" is not null or t."modified_at" < excluded."modified_at" or t."modified_at" is not distinct from excluded."modified_at" and not (t."team_canonical_id" is not distinct from excluded."team_canonical_id" and t."kind" is not distinct from excluded."kind" and t."alias" is not distinct from excluded."alias" and t."modified_at" is not distinct from excluded."modified_at"))
  returning (t.xmax = 0) as is_new
), counted as materialized (
  select count(*) filter (where w.is_new) as inserted, count(*) filter (where not w.is_new) as updated,
    (select count(*) from incoming as i where i."Standing" = 'newer') + 0 + $13 as older, 0::bigint as deleted
  from written as w
)
select c.inserted, c.updated, c.deleted,
  jobrunner.commit_page($1, $2, $3, $4, $5, $6, $7, jobrunner.make_counters(
  pages => $6, fetched => $8, inserted => c.inserted, updated => c.updated,
  unchanged => $12 - c.inserted - c.updated - c.older - c.deleted, skipped_older => c.older,
  skipped_incompatible => $9, filtered => $10, duplicate => $11,
  deleted => c.deleted)) as committed, jobrunner.mark_seen($1, $2, $3, ($5 ->> 'pass_number')::integer, ($5 ->> 'page_number')::integer, array(
    select jobrunner.key_hash(i."alias_id"::text) from unnest($14::int[], $15::text[]) as i ("Action", "alias_id")
    where i."Action" <> 2
  )) as noted
from counted as c;
-- team_alias: asks whether a page would change anything
select coalesce(bool_or(coalesce(r."Standing", 'older') = 'older'), false) as changes,
  count(*) filter (where r."Standing" = 'newer') as older
from (select (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."team_canonical_id" is not distinct from r."team_canonical_id" and s."kind" is not distinct from r."kind" and s."alias" is not distinct from r."alias" and s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_team_alias" as s where s.user_id = $1 and s."alias_id" = r."alias_id" limit 1) as "Standing" from unnest($2::int[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[]) as r ("Action", "alias_id", "team_canonical_id", "kind", "alias", "modified_at") where r."Action" = 0 offset 0) as r;
-- stadium_alias: writes a page and moves its checkpoint
with incoming as materialized (
  select r.*
  from (select r.*, (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."stadium_canonical_id" is not distinct from r."stadium_canonical_id" and s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_stadium_alias" as s where s.user_id = $1 and s."alias_name" = r."alias_name" limit 1) as "Standing" from unnest($14::int[], $15::text[], $16::text[], $17::timestamptz[]) as r ("Action", "alias_name", "stadium_canonical_id", "modified_at") where r."Action" = 0 offset 0) as r
  where r."Standing" is distinct from 'same'
), written as (
  insert into synced."st_stadium_alias" as t (user_id, "alias_name", "stadium_canonical_id", "modified_at")
  select $1, r."alias_name", r."stadium_canonical_id", r."modified_at"
  from incoming as r where coalesce(r."Standing", 'older') = 'older'
  on conflict (user_id, "alias_name") do update set "stadium_canonical_id" = excluded."stadium_canonical_id", "modified_at" = excluded."modified_at", last_modified = now(), synced = true where (t."modified_at" is null and excluded."modified_at" is not null or t."modified_at" < excluded."modified_at" or t."modified_at" is not distinct from excluded."modified_at" and not (t."stadium_canonical_id" is not distinct from excluded."stadium_canonical_id" and t."modified_at" is not distinct from excluded."modified_at"))
  returning (t.xmax = 0) as is_new, jobrunner.key_hash(t."alias_name"::text) as hash
), counted as materialized (
  select count(*) filter (where w.is_new) as inserted, count(*) filter (where not w.is_new) as updated,
    (select count(*) from incoming as i where i."Standing" = 'newer') + 0 + $13 as older, 0::bigint as deleted,
    array_agg(w.hash) filter (where w.is_new) as added
  from written as w
)
select c.inserted, c.updated, c.deleted,
  jobrunner.commit_page($1, $2, $3, $4, $5, $6, $7, jobrunner.make_counters(
  pages => $6, fetched => $8, inserted => c.inserted, updated => c.updated,
  unchanged => $12 - c.inserted - c.updated - c.older - c.deleted, skipped_older => c.older,
  skipped_incompatible => $9, filtered => $10, duplicate => $11,
  deleted => c.deleted)) as committed, jobrunner.mark_seen($1, $2, $3, ($5 ->> 'pass_number')::integer, ($5 ->> 'page_number')::integer, c.added) as noted
from counted as c;
-- stadium_alias: the same, and notes what a full pass shows, for its sweep
with incoming as materialized (
  select r.*
  from (select r.*, (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."stadium_canonical_id" is not distinct from r."stadium_canonical_id" and s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_stadium_alias" as s where s.user_id = $1 and s."alias_name" = r."alias_name" limit 1) as "Standing" from unnest($14::int[], $15::text[], $16::text[], $17::timestamptz[]) as r ("Action", "alias_name", "stadium_canonical_id", "modified_at") where r."Action" = 0 offset 0) as r
  where r."Standing" is distinct from 'same'
), written as (
  insert into synced."st_stadium_alias" as t (user_id, "alias_name", "stadium_canonical_id", "modified_at")
  select $1, r."alias_name", r."stadium_canonical_id", r."modified_at"
  from incoming as r where coalesce(r."Standing", 'older') = 'older'
  on conflict (user_id, "alias_name") do update set "stadium_canonical_id" = excluded."stadium_canonical_id", "modified_at" = excluded."modified_at", last_modified = now(), synced = true where (t."modified_at" is null and excluded."modified_at" is not null or t."modified_at" < excluded."modified_at" or t."modified_at" is not distinct from excluded."modified_at" and not (t."stadium_canonical_id" is not distinct from excluded."stadium_canonical_id" and t."modified_at" is not distinct from excluded."modified_at"))
  returning (t.xmax = 0) as is_new
), counted as materialized (
  select count(*) filter (where w.is_new) as inserted, count(*) filter (where not w.is_new) as updated,
    (select count(*) from incoming as i where i."Standing" = 'newer') + 0 + $13 as older, 0::bigint as deleted
  from written as w
)
select c.inserted, c.updated, c.deleted,
  jobrunner.commit_page($1, $2, $3, $4, $5, $6, $7, jobrunner.make_counters(
  pages => $6, fetched => $8, inserted => c.inserted, updated => c.updated,
  unchanged => $12 - c.inserted - c.updated - c.older - c.deleted, skipped_older => c.older,
  skipped_incompatible => $9, filtered => $10, duplicate => $11,
  deleted => c.deleted)) as committed, jobrunner.mark_seen($1, $2, $3, ($5 ->> 'pass_number')::integer, ($5 ->> 'page_number')::integer, array(
    select jobrunner.key_hash(i."alias_name"::text) from unnest($14::int[], $15::text[]) as i ("Action", "alias_name")
    where i."Action" <> 2
  )) as noted
from counted as c;
-- stadium_alias: asks whether a page would change anything
select coalesce(bool_or(coalesce(r."Standing", 'older') = 'older'), false) as changes,
  count(*) filter (where r."Standing" = 'newer') as older
from (select (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."stadium_canonical_id" is not distinct from r."stadium_canonical_id" and s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_stadium_alias" as s where s.user_id = $1 and s."alias_name" = r."alias_name" limit 1) as "Standing" from unnest($2::int[], $3::text[], $4::text[], $5::timestamptz[]) as r ("Action", "alias_name", "stadium_canonical_id", "modified_at") where r."Action" = 0 offset 0) as r;
-- game: writes a page and moves its checkpoint
with incoming as materialized (
  select r.*
  from (select r.*, (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."home_team_id" is not distinct from r."home_team_id" and s."away_team_id" is not distinct from r."away_team_id" and s."stadium_id" is not distinct from r."stadium_id" and s."starts_at" is not distinct from r."starts_at" and s."sport_id" is not distinct from r."sport_id" and s."season" is not distinct from r."season" and s."is_playoff" is not distinct from r."is_playoff" and s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_game" as s where s.user_id = $1 and s."canonical_id" = r."canonical_id" limit 1) as "Standing" from unnest($14::int[], $15::text[], $16::text[], $17::text[], $18::text[], $19::timestamptz[], $20::text[], $21::text[], $22::boolean[], $23::timestamptz[]) as r ("Action", "canonical_id", "home_team_id", "away_team_id", "stadium_id", "starts_at", "sport_id", "season", "is_playoff", "modified_at") where r."Action" = 0 offset 0) as r
  where r."Standing" is distinct from 'same'
), written as (
  insert into synced."st_game" as t (user_id, "canonical_id", "home_team_id", "away_team_id", "stadium_id", "starts_at", "sport_id", "season", "is_playoff", "modified_at")
  select $1, r."canonical_id", r."home_team_id", r."away_team_id", r."stadium_id", r."starts_at", r."sport_id", r."season", r."is_playoff", r."modified_at"
  from incoming as r where coalesce(r."Standing", 'older') = 'older'
  on conflict (user_id, "canonical_id") do update set "home_team_id" = excluded."home_team_id", "away_team_id" = excluded."away_team_id", "stadium_id" = excluded."stadium_id", "starts_at" = excluded."starts_at", "sport_id" = excluded."sport_id", "season" = excluded."season", "is_playoff" = excluded."is_playoff", "modified_at" = excluded."modified_at", last_modified = now(), synced = true where (t."modified_at" is null and excluded."modified_at" is not null or t."modified_at" < excluded."modified_at" or t."modified_at" is not distinct from excluded."modified_at" and not (t."home_team_id" is not distinct from excluded."home_team_id" and t."away_team_id" is not distinct from excluded."away_team_id" and t."stadium_id" is not distinct from excluded."stadium_id" and t."starts_at" is not distinct from excluded."starts_at" and t."sport_id" is not distinct from excluded."sport_id" and t."season" is not distinct from excluded."season" and t."is_playoff" is not distinct from excluded."is_playoff" and t."modified_at" is not distinct from excluded."modified_at"))
  returning (t.xmax = 0) as is_new, jobrunner.key_hash(t."canonical_id"::text) as hash
), counted as materialized (
  select count(*) filter (where w.is_new) as inserted, count(*) filter (where not w.is_new) as updated,
    (select count(*) from incoming as i where i."Standing" = 'newer') + 0 + $13 as older, 0::bigint as deleted,
    array_agg(w.hash) filter (where w.is_new) as added
  from written as w
)
select c.inserted, c.updated, c.deleted,
  jobrunner.commit_page($1, $2, $3, $4, $5, $6, $7, jobrunner.make_counters(
  pages => $6, fetched => $8, inserted => c.inserted, updated => c.updated,
  unchanged => $12 - c.inserted - c.updated - c.older - c.deleted, skipped_older => c.older,
  skipped_incompatible => $9, filtered => $10, duplicate => $11,
  deleted => c.deleted)) as committed, jobrunner.mark_seen($1, $2, $3, ($5 ->> 'pass_number')::integer, ($5 ->> 'page_number')::integer, c.added) as noted
from counted as c;
-- game: the same, and notes what a full pass shows, for its sweep
with incoming as materialized (
  select r.*
  from (select r.*, (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."home_team_id" is not distinct from r."home_team_id" and s."away_team_id" is not distinct from r."away_team_id" and s."stadium_id" is not distinct from r."stadium_id" and s."starts_at" is not distinct from r."starts_at" and s."sport_id" is not distinct from r."sport_id" and s."season" is not distinct from r."season" and s."is_playoff" is not distinct from r."is_playoff" and s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_game" as s where s.user_id = $1 and s."canonical_id" = r."canonical_id" limit 1) as "Standing" from unnest($14::int[], $15::text[], $16::text[], $17::text[], $18::text[], $19::timestamptz[], $20::text[], $21::text[], $22::boolean[], $23::timestamptz[]) as r ("Action", "canonical_id", "home_team_id", "away_team_id", "stadium_id", "starts_at", "sport_id", "season", "is_playoff", "modified_at") where r."Action" = 0 offset 0) as r
  where r."Standing" is distinct from 'same'
), written as (
  insert into synced."st_game" as t (user_id, "canonical_id", "home_team_id", "away_team_id", "stadium_id", "starts_at", "sport_id", "season", "is_playoff", "modified_at")
  select $1, r."canonical_id", r."home_team_id", r."away_team_id", r."stadium_id", r."starts_at", r."sport_id", r."season", r."is_playoff", r."modified_at"
  from incoming as r where coalesce(r."Standing", 'older') = 'older'
  on conflict (user_id, "canonical_id") do update set "home_team_id" = excluded."home_team_id", "away_team_id" = excluded."away_team_id", "stadium_id" = excluded."stadium_id", "starts_at" = excluded."starts_at", "sport_id" = excluded."sport_id", "season" = excluded."season", "is_playoff" = excluded."is_playoff", "modified_at" = excluded."modified_at", last_modified = now(), synced = true where (t."modified_at" is null and excluded."modified_at" is not null or t."modified_at" < excluded."modified_at" or t."modified_at" is not distinct from excluded."modified_at" and not (t."home_team_id" is not distinct from excluded."home_team_id" and t."away_team_id" is not distinct from excluded."away_team_id" and t."stadium_id" is not distinct from excluded."stadium_id" and t."starts_at" is not distinct from excluded."starts_at" and t."sport_id" is not distinct from excluded."sport_id" and t."season" is not distinct from excluded."season" and t."is_playoff" is not distinct from excluded."is_playoff" and t."modified_at" is not distinct from excluded."modified_at"))
  returning (t.xmax = 0) as is_new
), counted as materialized (
  select count(*) filter (where w.is_new) as inserted, count(*) filter (where not w.is_new) as updated,
    (select count(*) from incoming as i where i."Standing" = 'newer') + 0 + $13 as older, 0::bigint as deleted
  from written as w
)
select c.inserted, c.updated, c.deleted,
  jobrunner.commit_page($1, $2, $3, $4, $5, $6, $7, jobrunner.make_counters(
  pages => $6, fetched => $8, inserted => c.inserted, updated => c.updated,
  unchanged => $12 - c.inserted - c.updated - c.older - c.deleted, skipped_older => c.older,
  skipped_incompatible => $9, filtered => $10, duplicate => $11,
  deleted => c.deleted)) as committed, jobrunner.mark_seen($1, $2, $3, ($5 ->> 'pass_number')::integer, ($5 ->> 'page_number')::integer, array(
    select jobrunner.key_hash(i."canonical_id"::text) from unnest($14::int[], $15::text[]) as i ("Action", "canonical_id")
    where i."Action" <> 2
  )) as noted
from counted as c;
-- game: asks whether a page would change anything
select coalesce(bool_or(coalesce(r."Standing", 'older') = 'older'), false) as changes,
  count(*) filter (where r."Standing" = 'newer') as older
from (select (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."home_team_id" is not distinct from r."home_team_id" and s."away_team_id" is not distinct from r."away_team_id" and s."stadium_id" is not distinct from r."stadium_id" and s."starts_at" is not distinct from r."starts_at" and s."sport_id" is not distinct from r."sport_id" and s."season" is not distinct from r."season" and s."is_playoff" is not distinct from r."is_playoff" and s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_game" as s where s.user_id = $1 and s."canonical_id" = r."canonical_id" limit 1) as "Standing" from unnest($2::int[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::text[], $9::text[], $10::boolean[], $11::timestamptz[]) as r ("Action", "canonical_id", "home_team_id", "away_team_id", "stadium_id", "starts_at", "sport_id", "season", "is_playoff", "modified_at") where r."Action" = 0 offset 0) as r;
-- sport: writes a page and moves its checkpoint
with incoming as materialized (
  select r.*
  from (select r.*, (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."name" is not distinct from r."name" and s."abbreviation" is not distinct from r."abbreviation" and s."color" is not distinct from r."color" and s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_sport" as s where s.user_id = $1 and s."sport_id" = r."sport_id" limit 1) as "Standing" from unnest($14::int[], $15::text[], $16::text[], $17::text[], $18::text[], $19::timestamptz[]) as r ("Action", "sport_id", "name", "abbreviation", "color", "modified_at") where r."Action" = 0 offset 0) as r
  where r."Standing" is distinct from 'same'
), written as (
  insert into synced."st_sport" as t (user_id, "sport_id", "name", "abbreviation", "color", "modified_at")
  select $1, r."sport_id", r."name", r."abbreviation", r."color", r."modified_at"
  from incoming as r where coalesce(r."Standing", 'older') = 'older'
  on conflict (user_id, "sport_id") do update set "name" = excluded."name", "abbreviation" = excluded."abbreviation", "color" = excluded."color", "modified_at" = excluded."modified_at", last_modified = now(), synced = true where (t."modified_at" is null and excluded."modified_at" is not null or t."modified_at" < excluded."modified_at" or t."modified_at" is not distinct from excluded."modified_at" and not (t."name" is not distinct from excluded."name" and t."abbreviation" is not distinct from excluded."abbreviation" and t."color" is not distinct from excluded."color" and t."modified_at" is not distinct from excluded."modified_at"))
  returning (t.xmax = 0) as is_new, jobrunner.key_hash(t."sport_id"::text) as hash
), counted as materialized (
  select count(*) filter (where w.is_new) as inserted, count(*) filter (where not w.is_new) as updated,
    (select count(*) from incoming as i where i."Standing" = 'newer') + 0 + $13 as older, 0::bigint as deleted,
    array_agg(w.hash) filter (where w.is_new) as added
  from written as w
)
select c.inserted, c.updated, c.deleted,
  jobrunner.commit_page($1, $2, $3, $4, $5, $6, $7, jobrunner.make_counters(
  pages => $6, fetched => $8, inserted => c.inserted, updated => c.updated,
  unchanged => $12 - c.inserted - c.updated - c.older - c.deleted, skipped_older => c.older,
  skipped_incompatible => $9, filtered => $10, duplicate => $11,
  deleted => c.deleted)) as committed, jobrunner.mark_seen($1, $2, $3, ($5 ->> 'pass_number')::integer, ($5 ->> 'page_number')::integer, c.added) as noted
from counted as c;
-- sport: the same, and notes what a full pass shows, for its sweep
with incoming as materialized (
  select r.*
  from (select r.*, (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."name" is not distinct from r."name" and s."abbreviation" is not distinct from r."abbreviation" and s."color" is not distinct from r."color" and s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_sport" as s where s.user_id = $1 and s."sport_id" = r."sport_id" limit 1) as "Standing" from unnest($14::int[], $15::text[], $16::text[], $17::text[], $18::text[], $19::timestamptz[]) as r ("Action", "sport_id", "name", "abbreviation", "color", "modified_at") where r."Action" = 0 offset 0) as r
  where r."Standing" is distinct from 'same'
), written as (
  insert into synced."st_sport" as t (user_id, "sport_id", "name", "abbreviation", "color", "modified_at")
  select $1, r."sport_id", r."name", r."abbreviation", r."color", r."modified_at"
  from incoming as r where coalesce(r."Standing", 'older') = 'older'
  on conflict (user_id, "sport_id") do update set "name" = excluded."name", "abbreviation" = excluded."abbreviation", "color" = excluded."color", "modified_at" = excluded."modified_at", last_modified = now(), synced = true where (t."modified_at" is null and excluded."modified_at" is not null or t."modified_at" < excluded."modified_at" or t."modified_at" is not distinct from excluded."modified_at" and not (t."name" is not distinct from excluded."name" and t."abbreviation" is not distinct from excluded."abbreviation" and t."color" is not distinct from excluded."color" and t."modified_at" is not distinct from excluded."modified_at"))
  returning (t.xmax = 0) as is_new
), counted as materialized (
  select count(*) filter (where w.is_new) as inserted, count(*) filter (where not w.is_new) as updated,
    (select count(*) from incoming as i where i."Standing" = 'newer') + 0 + $13 as older, 0::bigint as deleted
  from written as w
)
select c.inserted, c.updated, c.deleted,
  jobrunner.commit_page($1, $2, $3, $4, $5, $6, $7, jobrunner.make_counters(
  pages => $6, fetched => $8, inserted => c.inserted, updated => c.updated,
  unchanged => $12 - c.inserted - c.updated - c.older - c.deleted, skipped_older => c.older,
  skipped_incompatible => $9, filtered => $10, duplicate => $11,
  deleted => c.deleted)) as committed, jobrunner.mark_seen($1, $2, $3, ($5 ->> 'pass_number')::integer, ($5 ->> 'page_number')::integer, array(
    select jobrunner.key_hash(i."sport_id"::text) from unnest($14::int[], $15::text[]) as i ("Action", "sport_id")
    where i."Action" <> 2
  )) as noted
from counted as c;
-- sport: asks whether a page would change anything
select coalesce(bool_or(coalesce(r."Standing", 'older') = 'older'), false) as changes,
  count(*) filter (where r."Standing" = 'newer') as older
from (select (select case when s."modified_at" < r."modified_at" or (s."modified_at" is null and r."modified_at" is not null) then 'older' when s."modified_at" > r."modified_at" or (s."modified_at" is not null and r."modified_at" is null) then 'newer' when not (s."name" is not distinct from r."name" and s."abbreviation" is not distinct from r."abbreviation" and s."color" is not distinct from r."color" and s."modified_at" is not distinct from r."modified_at") then 'older' else 'same' end from synced."st_sport" as s where s.user_id = $1 and s."sport_id" = r."sport_id" limit 1) as "Standing" from unnest($2::int[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[]) as r ("Action", "sport_id", "name", "abbreviation", "color", "modified_at") where r."Action" = 0 offset 0) as r;
