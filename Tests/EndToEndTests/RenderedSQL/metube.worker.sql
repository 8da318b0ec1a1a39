-- Made by jobrunner migrate
create table synced."hub_channel" (
  "user_id" bigint not null,
  "channel_id" text not null,
  "name" text,
  "thumbnail_url" text,
  "description" text,
  "uploads_playlist_id" text,
  "inserted_at" timestamp with time zone default now() not null,
  "last_modified" timestamp with time zone default now() not null,
  "synced" boolean default false not null,
  primary key ("user_id", "channel_id")
);
comment on table synced."hub_channel" is 'List ''channel_ids'' of job file metube.worker: one row per user and item.';
comment on column synced."hub_channel"."user_id" is 'Whose item: jobrunner.users.id.';
comment on column synced."hub_channel"."channel_id" is 'Item of list ''channel_ids'' of job file metube.worker.';
comment on column synced."hub_channel"."name" is 'What the application knows of an item of list ''channel_ids'' of job file metube.worker.';
comment on column synced."hub_channel"."thumbnail_url" is 'What the application knows of an item of list ''channel_ids'' of job file metube.worker.';
comment on column synced."hub_channel"."description" is 'What the application knows of an item of list ''channel_ids'' of job file metube.worker.';
comment on column synced."hub_channel"."uploads_playlist_id" is 'What the application knows of an item of list ''channel_ids'' of job file metube.worker.';
comment on column synced."hub_channel"."inserted_at" is 'When the record was first seen here.';
comment on column synced."hub_channel"."last_modified" is 'When the row was last changed here.';
comment on column synced."hub_channel"."synced" is 'True: a call has sent the item to the source.';
create table synced."hub_video" (
  "user_id" bigint not null,
  "video_id" text not null,
  "channel_id" text not null,
  "published_at" timestamp with time zone not null,
  "title" text,
  "duration_s" double precision,
  "inserted_at" timestamp with time zone default now() not null,
  "last_modified" timestamp with time zone default now() not null,
  "synced" boolean default true not null,
  primary key ("user_id", "video_id")
);
comment on table synced."hub_video" is 'Records of entity ''video'' of job file metube.worker.';
comment on column synced."hub_video"."user_id" is 'Whose record: jobrunner.users.id.';
comment on column synced."hub_video"."video_id" is 'Field ''video_id'' of entity ''video'' of job file metube.worker.';
comment on column synced."hub_video"."channel_id" is 'Field ''channel_id'' of entity ''video'' of job file metube.worker.';
comment on column synced."hub_video"."published_at" is 'Field ''published_at'' of entity ''video'' of job file metube.worker.';
comment on column synced."hub_video"."title" is 'Field ''title'' of entity ''video'' of job file metube.worker.';
comment on column synced."hub_video"."duration_s" is 'Field ''duration_s'' of entity ''video'' of job file metube.worker, in seconds.';
comment on column synced."hub_video"."inserted_at" is 'When the record was first seen here.';
comment on column synced."hub_video"."last_modified" is 'When the row was last changed here.';
comment on column synced."hub_video"."synced" is 'False: changed here and not yet sent to the source.';

-- Sent by runs of metube.worker
-- video: writes a page and moves its checkpoint
with written as (
  insert into synced."hub_video" as t (user_id, "video_id", "channel_id", "published_at", "title", "duration_s")
  select $1, r."video_id", r."channel_id", r."published_at", r."title", r."duration_s"
  from unnest($14::text[], $15::text[], $16::timestamptz[], $17::text[], $18::double precision[]) as r ("video_id", "channel_id", "published_at", "title", "duration_s") where (select true from synced."hub_video" as s where s.user_id = $1 and s."video_id" = r."video_id" limit 1) is null
  on conflict (user_id, "video_id") do nothing
  returning (t.xmax = 0) as is_new
), counted as materialized (
  select count(*) filter (where w.is_new) as inserted, count(*) filter (where not w.is_new) as updated,
    0::bigint + 0 + $13 as older, 0::bigint as deleted
  from written as w
)
select c.inserted, c.updated, c.deleted,
  jobrunner.commit_page($1, $2, $3, $4, $5, $6, $7, jobrunner.make_counters(
  pages => $6, fetched => $8, inserted => c.inserted, updated => c.updated,
  unchanged => $12 - c.inserted - c.updated - c.older - c.deleted, skipped_older => c.older,
  skipped_incompatible => $9, filtered => $10, duplicate => $11,
  deleted => c.deleted)) as committed
from counted as c;
-- video: writes a page whose records are probably all new
with written as (
  insert into synced."hub_video" as t (user_id, "video_id", "channel_id", "published_at", "title", "duration_s")
  select $1, r."video_id", r."channel_id", r."published_at", r."title", r."duration_s"
  from unnest($14::text[], $15::text[], $16::timestamptz[], $17::text[], $18::double precision[]) as r ("video_id", "channel_id", "published_at", "title", "duration_s")
  on conflict (user_id, "video_id") do nothing
  returning (t.xmax = 0) as is_new
), counted as materialized (
  select count(*) filter (where w.is_new) as inserted, count(*) filter (where not w.is_new) as updated,
    0::bigint + 0 + $13 as older, 0::bigint as deleted
  from written as w
)
select c.inserted, c.updated, c.deleted,
  jobrunner.commit_page($1, $2, $3, $4, $5, $6, $7, jobrunner.make_counters(
  pages => $6, fetched => $8, inserted => c.inserted, updated => c.updated,
  unchanged => $12 - c.inserted - c.updated - c.older - c.deleted, skipped_older => c.older,
  skipped_incompatible => $9, filtered => $10, duplicate => $11,
  deleted => c.deleted)) as committed
from counted as c;
-- video: asks whether a page would change anything
select exists (select from unnest($2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::double precision[]) as r ("video_id", "channel_id", "published_at", "title", "duration_s") where (select true from synced."hub_video" as s where s.user_id = $1 and s."video_id" = r."video_id" limit 1) is null) as changes, 0::bigint as older;
