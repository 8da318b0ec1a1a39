-- Made by jobrunner migrate
create table synced."watched_status" (
  "user_id" bigint not null,
  "video_id" text not null,
  "status" text default 'unknown'::text,
  "last_modified" timestamp with time zone not null,
  "playback_position" double precision default '0'::double precision,
  "record_name" text,
  "change_tag" text,
  "modified_at" timestamp with time zone,
  "inserted_at" timestamp with time zone default now() not null,
  "synced" boolean default true not null,
  "pending_delete" boolean default false not null,
  "push_error" text,
  "push_pause" tstzrange,
  "sent_hashes" bigint[],
  "unread_fields" text[],
  primary key ("user_id", "video_id")
);
comment on table synced."watched_status" is 'Records of entity ''watched_status'' of job file metube.status.';
comment on column synced."watched_status"."user_id" is 'Whose record: jobrunner.users.id.';
comment on column synced."watched_status"."video_id" is 'Field ''video_id'' of entity ''watched_status'' of job file metube.status.';
comment on column synced."watched_status"."status" is 'Field ''status'' of entity ''watched_status'' of job file metube.status.';
comment on column synced."watched_status"."last_modified" is 'Field ''last_modified'' of entity ''watched_status'' of job file metube.status.';
comment on column synced."watched_status"."playback_position" is 'Field ''playback_position'' of entity ''watched_status'' of job file metube.status.';
comment on column synced."watched_status"."record_name" is 'Field ''record_name'' of entity ''watched_status'' of job file metube.status.';
comment on column synced."watched_status"."change_tag" is 'Field ''change_tag'' of entity ''watched_status'' of job file metube.status.';
comment on column synced."watched_status"."modified_at" is 'Field ''modified_at'' of entity ''watched_status'' of job file metube.status.';
comment on column synced."watched_status"."inserted_at" is 'When the record was first seen here.';
comment on column synced."watched_status"."synced" is 'False: changed here and not yet sent to the source.';
comment on column synced."watched_status"."pending_delete" is 'True: deleted here, and not yet at the source.';
comment on column synced."watched_status"."push_error" is 'Why the source refused the row''s last push.';
comment on column synced."watched_status"."push_pause" is 'Since a source refused a whole push for this row, and until when the row is not sent again unless it is edited.';
comment on column synced."watched_status"."sent_hashes" is 'Hashes of what was sent of the row since it was last as the source has it, 0 for its deletion, 1 for a record of its own that the source had already: what comes back with one of them never replaces a later edit.';
comment on column synced."watched_status"."unread_fields" is 'Fields of which the source''s value could not be read: null or the default here, and not sent back.';
create index "watched_status_by_record_name" on synced."watched_status" ("user_id", "record_name");
comment on index synced."watched_status_by_record_name" is 'A user''s rows by record_name.';
create index "watched_status_unsent" on synced."watched_status" ("user_id") where not synced or pending_delete;
comment on index synced."watched_status_unsent" is 'A user''s rows that are yet to be sent to the source.';
create or replace view synced."watched_status_live" as
select * from synced."watched_status" where not pending_delete;
comment on view synced."watched_status_live" is 'Live rows of synced.watched_status: not pending_delete.';

-- Sent by runs of metube.status
-- watched_status: writes a page and moves its checkpoint
with incoming as materialized (
  select r.*
  from (select r.*, coalesce((select case when (s.sent_hashes is not null and (not s.synced or s.pending_delete) and hash_record_extended(row(r."video_id", r."status", date_trunc('milliseconds', r."last_modified"), r."playback_position"), 0) = any (s.sent_hashes) and (s.pending_delete or hash_record_extended(row(r."video_id", r."status", date_trunc('milliseconds', r."last_modified"), r."playback_position"), 0) <> hash_record_extended(row(s."video_id", s."status", date_trunc('milliseconds', s."last_modified"), s."playback_position"), 0))) then 'newer' when s."last_modified" < r."last_modified" or (s."last_modified" is null and r."last_modified" is not null) then case when s.synced and not s.pending_delete then 'older' when not s.pending_delete and hash_record_extended(row(r."video_id", r."status", date_trunc('milliseconds', r."last_modified"), r."playback_position"), 0) = hash_record_extended(row(s."video_id", s."status", date_trunc('milliseconds', s."last_modified"), s."playback_position"), 0) then 'settled' else 'lost' end when s."last_modified" > r."last_modified" or (s."last_modified" is not null and r."last_modified" is null) then 'newer' when not s.synced then 'newer' when not s."video_id" = r."video_id" then 'older' else 'same' end from synced."watched_status" as s where s.user_id = $1 and s."record_name" = r."record_name" limit 1), (select case when (s.sent_hashes is not null and (not s.synced or s.pending_delete) and hash_record_extended(row(r."video_id", r."status", date_trunc('milliseconds', r."last_modified"), r."playback_position"), 0) = any (s.sent_hashes) and (s.pending_delete or hash_record_extended(row(r."video_id", r."status", date_trunc('milliseconds', r."last_modified"), r."playback_position"), 0) <> hash_record_extended(row(s."video_id", s."status", date_trunc('milliseconds', s."last_modified"), s."playback_position"), 0))) then 'newer' when s."last_modified" < r."last_modified" or (s."last_modified" is null and r."last_modified" is not null) then case when s.synced and not s.pending_delete then 'older' when not s.pending_delete and hash_record_extended(row(r."video_id", r."status", date_trunc('milliseconds', r."last_modified"), r."playback_position"), 0) = hash_record_extended(row(s."video_id", s."status", date_trunc('milliseconds', s."last_modified"), s."playback_position"), 0) then 'settled' else 'lost' end when s."last_modified" > r."last_modified" or (s."last_modified" is not null and r."last_modified" is null) then 'newer' when not s.synced then 'newer' when not s."video_id" = r."video_id" then 'older' else 'same' end from synced."watched_status" as s where s.user_id = $1 and s."video_id" = r."video_id" limit 1)) as "Standing" from unnest($14::int[], $15::text[], $16::text[], $17::timestamptz[], $18::double precision[], $19::text[], $20::text[], $21::timestamptz[], $22::text[]) as r ("Action", "video_id", "status", "last_modified", "playback_position", "record_name", "change_tag", "modified_at", "unread_fields") where r."Action" = 0 offset 0) as r
  where r."Standing" is distinct from 'same'
), moving as materialized (
  select r."record_name", coalesce(r."Standing", 'older') = 'older' as "Clean", t."video_id" as "Old 0", r."video_id" as "New 0"
  from incoming as r
  join synced."watched_status" as t on t.user_id = $1 and t."record_name" = r."record_name"
  where coalesce(r."Standing", 'older') in ('older', 'settled', 'lost') and (t."video_id" <> r."video_id")
), stuck as (
  with recursive stuck as (
    select m."record_name" from moving as m
    join synced."watched_status" as o on o.user_id = $1 and o."video_id" = m."New 0" and o."record_name" is distinct from m."record_name"
    where not exists (select from moving as h where h."record_name" = o."record_name")
    union
    select n."record_name" from stuck as s
    join moving as m on m."record_name" = s."record_name"
    join moving as n on n."New 0" = m."Old 0"
  )
  select s."record_name" from stuck as s
), renamed as (
  delete from synced."watched_status" as t using moving as m
  where t.user_id = $1 and t."record_name" = m."record_name" and m."record_name" not in (select s."record_name" from stuck as s)
     and (t.synced and not t.pending_delete) = (m."Clean")
  returning t."record_name", t.inserted_at
), written as (
  insert into synced."watched_status" as t (user_id, "video_id", "status", "last_modified", "playback_position", "record_name", "change_tag", "modified_at", "unread_fields", synced, inserted_at)
  select $1, r."video_id", r."status", r."last_modified", r."playback_position", r."record_name", r."change_tag", r."modified_at", r."unread_fields"::text[], coalesce(r."Standing", 'older') = 'older', coalesce((select d.inserted_at from renamed as d where d."record_name" = r."record_name"), now())
  from incoming as r where coalesce(r."Standing", 'older') in ('older', 'settled', 'lost') and (not exists (select from moving as m where m."record_name" = r."record_name")
    or exists (select from renamed as d where d."record_name" = r."record_name"))
  and (select count(*) from renamed) is not null
  on conflict (user_id, "video_id") do update set "status" = excluded."status", "last_modified" = excluded."last_modified", "playback_position" = excluded."playback_position", "record_name" = excluded."record_name", "change_tag" = excluded."change_tag", "modified_at" = excluded."modified_at", "unread_fields" = excluded."unread_fields", synced = true, push_error = null, push_pause = null, pending_delete = false, sent_hashes = null where (t."last_modified" is null and excluded."last_modified" is not null or t."last_modified" < excluded."last_modified") and (t.synced and not t.pending_delete) = (excluded.synced) and not (t.sent_hashes is not null and (not t.synced or t.pending_delete) and hash_record_extended(row(excluded."video_id", excluded."status", date_trunc('milliseconds', excluded."last_modified"), excluded."playback_position"), 0) = any (t.sent_hashes) and (t.pending_delete or hash_record_extended(row(excluded."video_id", excluded."status", date_trunc('milliseconds', excluded."last_modified"), excluded."playback_position"), 0) <> hash_record_extended(row(t."video_id", t."status", date_trunc('milliseconds', t."last_modified"), t."playback_position"), 0)))
  returning (t.xmax = 0) as is_new, jobrunner.key_hash(t."record_name"::text) as hash, t."record_name"
), removed as (
  delete from synced."watched_status" as t using unnest($14::int[], $19::text[]) as i ("Action", "record_name")
  where i."Action" = 2 and t.user_id = $1 and t."record_name" = i."record_name" and (t.synced or t.pending_delete or (t."change_tag" is not null and 0::bigint <> all (coalesce(t.sent_hashes, '{}'))))
  returning t."record_name", not t.synced and not t.pending_delete as is_edit
), lost as materialized (
  select coalesce((select s."record_name" from synced."watched_status" as s where s.user_id = $1 and s."record_name" = i."record_name" limit 1), (select s."record_name" from synced."watched_status" as s where s.user_id = $1 and s."video_id" = i."video_id" limit 1), i."record_name") as name from incoming as i join written as w on w."record_name" = i."record_name" where i."Standing" = 'lost' union all select r."record_name" as name from removed as r where r.is_edit
), met as (
  update synced."watched_status" as t set sent_hashes = array[1::bigint]
  from incoming as i
  where i."Standing" = 'newer' and t.user_id = $1 and t."video_id" = i."video_id"
    and not t.synced and t."change_tag" is null and t.sent_hashes is null
), counted as materialized (
  select count(*) filter (where w.is_new) as inserted, count(*) filter (where not w.is_new) as updated,
    (select count(*) from incoming) - count(*) + 0 + $13 as older, (select count(*) from removed) as deleted, (select count(*) from lost) as lost,
    array_agg(w.hash) filter (where w.is_new) as added
  from written as w
)
select c.inserted, c.updated, c.deleted, c.lost,
  jobrunner.commit_page($1, $2, $3, $4, $5, $6, $7, jobrunner.make_counters(
  pages => $6, fetched => $8, inserted => c.inserted, updated => c.updated,
  unchanged => $12 - c.inserted - c.updated - c.older - c.deleted, skipped_older => c.older,
  skipped_incompatible => $9, filtered => $10, duplicate => $11,
  deleted => c.deleted, edits_lost => c.lost)) as committed, jobrunner.mark_seen($1, $2, $3, ($5 ->> 'pass_number')::integer, ($5 ->> 'page_number')::integer, c.added) as noted, case when c.lost > 0 then jobrunner.tell_conflicts($1, $2, $4, $3, array(select l.name from lost as l), 'theirs') end as told, case when $11 > 0 or exists (select from stuck)
    or exists (select from incoming as i join synced."watched_status" as s on s."video_id" = i."video_id" and s.user_id = $1 and s."record_name" <> i."record_name")
  then jobrunner.note_shared_keys($1, $2, $3) end as shared, case when c.deleted > 0 or exists (select from renamed) then jobrunner.look_for_survivors($1, $2, $3) end as survivors, case when exists (select from renamed as d where not exists (select from written as w where w."record_name" = d."record_name")) then jobrunner.begin_page_anew() end as whole
from counted as c;
-- watched_status: the same, and notes what a full pass shows, for its sweep
with incoming as materialized (
  select r.*
  from (select r.*, coalesce((select case when (s.sent_hashes is not null and (not s.synced or s.pending_delete) and hash_record_extended(row(r."video_id", r."status", date_trunc('milliseconds', r."last_modified"), r."playback_position"), 0) = any (s.sent_hashes) and (s.pending_delete or hash_record_extended(row(r."video_id", r."status", date_trunc('milliseconds', r."last_modified"), r."playback_position"), 0) <> hash_record_extended(row(s."video_id", s."status", date_trunc('milliseconds', s."last_modified"), s."playback_position"), 0))) then 'newer' when s."last_modified" < r."last_modified" or (s."last_modified" is null and r."last_modified" is not null) then case when s.synced and not s.pending_delete then 'older' when not s.pending_delete and hash_record_extended(row(r."video_id", r."status", date_trunc('milliseconds', r."last_modified"), r."playback_position"), 0) = hash_record_extended(row(s."video_id", s."status", date_trunc('milliseconds', s."last_modified"), s."playback_position"), 0) then 'settled' else 'lost' end when s."last_modified" > r."last_modified" or (s."last_modified" is not null and r."last_modified" is null) then 'newer' when not s.synced then 'newer' when not s."video_id" = r."video_id" then 'older' else 'same' end from synced."watched_status" as s where s.user_id = $1 and s."record_name" = r."record_name" limit 1), (select case when (s.sent_hashes is not null and (not s.synced or s.pending_delete) and hash_record_extended(row(r."video_id", r."status", date_trunc('milliseconds', r."last_modified"), r."playback_position"), 0) = any (s.sent_hashes) and (s.pending_delete or hash_record_extended(row(r."video_id", r."status", date_trunc('milliseconds', r."last_modified"), r."playback_position"), 0) <> hash_record_extended(row(s."video_id", s."status", date_trunc('milliseconds', s."last_modified"), s."playback_position"), 0))) then 'newer' when s."last_modified" < r."last_modified" or (s."last_modified" is null and r."last_modified" is not null) then case when s.synced and not s.pending_delete then 'older' when not s.pending_delete and hash_record_extended(row(r."video_id", r."status", date_trunc('milliseconds', r."last_modified"), r."playback_position"), 0) = hash_record_extended(row(s."video_id", s."status", date_trunc('milliseconds', s."last_modified"), s."playback_position"), 0) then 'settled' else 'lost' end when s."last_modified" > r."last_modified" or (s."last_modified" is not null and r."last_modified" is null) then 'newer' when not s.synced then 'newer' when not s."video_id" = r."video_id" then 'older' else 'same' end from synced."watched_status" as s where s.user_id = $1 and s."video_id" = r."video_id" limit 1)) as "Standing" from unnest($14::int[], $15::text[], $16::text[], $17::timestamptz[], $18::double precision[], $19::text[], $20::text[], $21::timestamptz[], $22::text[]) as r ("Action", "video_id", "status", "last_modified", "playback_position", "record_name", "change_tag", "modified_at", "unread_fields") where r."Action" = 0 offset 0) as r
  where r."Standing" is distinct from 'same'
), moving as materialized (
  select r."record_name", coalesce(r."Standing", 'older') = 'older' as "Clean", t."video_id" as "Old 0", r."video_id" as "New 0"
  from incoming as r
  join synced."watched_status" as t on t.user_id = $1 and t."record_name" = r."record_name"
  where coalesce(r."Standing", 'older') in ('older', 'settled', 'lost') and (t."video_id" <> r."video_id")
), stuck as (
  with recursive stuck as (
    select m."record_name" from moving as m
    join synced."watched_status" as o on o.user_id = $1 and o."video_id" = m."New 0" and o."record_name" is distinct from m."record_name"
    where not exists (select from moving as h where h."record_name" = o."record_name")
    union
    select n."record_name" from stuck as s
    join moving as m on m."record_name" = s."record_name"
    join moving as n on n."New 0" = m."Old 0"
  )
  select s."record_name" from stuck as s
), renamed as (
  delete from synced."watched_status" as t using moving as m
  where t.user_id = $1 and t."record_name" = m."record_name" and m."record_name" not in (select s."record_name" from stuck as s)
     and (t.synced and not t.pending_delete) = (m."Clean")
  returning t."record_name", t.inserted_at
), written as (
  insert into synced."watched_status" as t (user_id, "video_id", "status", "last_modified", "playback_position", "record_name", "change_tag", "modified_at", "unread_fields", synced, inserted_at)
  select $1, r."video_id", r."status", r."last_modified", r."playback_position", r."record_name", r."change_tag", r."modified_at", r."unread_fields"::text[], coalesce(r."Standing", 'older') = 'older', coalesce((select d.inserted_at from renamed as d where d."record_name" = r."record_name"), now())
  from incoming as r where coalesce(r."Standing", 'older') in ('older', 'settled', 'lost') and (not exists (select from moving as m where m."record_name" = r."record_name")
    or exists (select from renamed as d where d."record_name" = r."record_name"))
  and (select count(*) from renamed) is not null
  on conflict (user_id, "video_id") do update set "status" = excluded."status", "last_modified" = excluded."last_modified", "playback_position" = excluded."playback_position", "record_name" = excluded."record_name", "change_tag" = excluded."change_tag", "modified_at" = excluded."modified_at", "unread_fields" = excluded."unread_fields", synced = true, push_error = null, push_pause = null, pending_delete = false, sent_hashes = null where (t."last_modified" is null and excluded."last_modified" is not null or t."last_modified" < excluded."last_modified") and (t.synced and not t.pending_delete) = (excluded.synced) and not (t.sent_hashes is not null and (not t.synced or t.pending_delete) and hash_record_extended(row(excluded."video_id", excluded."status", date_trunc('milliseconds', excluded."last_modified"), excluded."playback_position"), 0) = any (t.sent_hashes) and (t.pending_delete or hash_record_extended(row(excluded."video_id", excluded."status", date_trunc('milliseconds', excluded."last_modified"), excluded."playback_position"), 0) <> hash_record_extended(row(t."video_id", t."status", date_trunc('milliseconds', t."last_modified"), t."playback_position"), 0)))
  returning (t.xmax = 0) as is_new, t."record_name"
), removed as (
  delete from synced."watched_status" as t using unnest($14::int[], $19::text[]) as i ("Action", "record_name")
  where i."Action" = 2 and t.user_id = $1 and t."record_name" = i."record_name" and (t.synced or t.pending_delete or (t."change_tag" is not null and 0::bigint <> all (coalesce(t.sent_hashes, '{}'))))
  returning t."record_name", not t.synced and not t.pending_delete as is_edit
), lost as materialized (
  select coalesce((select s."record_name" from synced."watched_status" as s where s.user_id = $1 and s."record_name" = i."record_name" limit 1), (select s."record_name" from synced."watched_status" as s where s.user_id = $1 and s."video_id" = i."video_id" limit 1), i."record_name") as name from incoming as i join written as w on w."record_name" = i."record_name" where i."Standing" = 'lost' union all select r."record_name" as name from removed as r where r.is_edit
), met as (
  update synced."watched_status" as t set sent_hashes = array[1::bigint]
  from incoming as i
  where i."Standing" = 'newer' and t.user_id = $1 and t."video_id" = i."video_id"
    and not t.synced and t."change_tag" is null and t.sent_hashes is null
), counted as materialized (
  select count(*) filter (where w.is_new) as inserted, count(*) filter (where not w.is_new) as updated,
    (select count(*) from incoming) - count(*) + 0 + $13 as older, (select count(*) from removed) as deleted, (select count(*) from lost) as lost
  from written as w
)
select c.inserted, c.updated, c.deleted, c.lost,
  jobrunner.commit_page($1, $2, $3, $4, $5, $6, $7, jobrunner.make_counters(
  pages => $6, fetched => $8, inserted => c.inserted, updated => c.updated,
  unchanged => $12 - c.inserted - c.updated - c.older - c.deleted, skipped_older => c.older,
  skipped_incompatible => $9, filtered => $10, duplicate => $11,
  deleted => c.deleted, edits_lost => c.lost)) as committed, jobrunner.mark_seen($1, $2, $3, ($5 ->> 'pass_number')::integer, ($5 ->> 'page_number')::integer, array(
    select jobrunner.key_hash(i."record_name"::text) from unnest($14::int[], $19::text[]) as i ("Action", "record_name")
    where i."Action" <> 2
  )) as noted, case when c.lost > 0 then jobrunner.tell_conflicts($1, $2, $4, $3, array(select l.name from lost as l), 'theirs') end as told, case when $11 > 0 or exists (select from stuck)
    or exists (select from incoming as i join synced."watched_status" as s on s."video_id" = i."video_id" and s.user_id = $1 and s."record_name" <> i."record_name")
  then jobrunner.note_shared_keys($1, $2, $3) end as shared, case when c.deleted > 0 or exists (select from renamed) then jobrunner.look_for_survivors($1, $2, $3) end as survivors, case when exists (select from renamed as d where not exists (select from written as w where w."record_name" = d."record_name")) then jobrunner.begin_page_anew() end as whole
from counted as c;
-- watched_status: asks whether a page would change anything
select coalesce(bool_or(coalesce(r."Standing", 'older') in ('older', 'settled', 'lost')), false) as changes,
  count(*) filter (where r."Standing" = 'newer') as older
from (select coalesce((select case when (s.sent_hashes is not null and (not s.synced or s.pending_delete) and hash_record_extended(row(r."video_id", r."status", date_trunc('milliseconds', r."last_modified"), r."playback_position"), 0) = any (s.sent_hashes) and (s.pending_delete or hash_record_extended(row(r."video_id", r."status", date_trunc('milliseconds', r."last_modified"), r."playback_position"), 0) <> hash_record_extended(row(s."video_id", s."status", date_trunc('milliseconds', s."last_modified"), s."playback_position"), 0))) then 'newer' when s."last_modified" < r."last_modified" or (s."last_modified" is null and r."last_modified" is not null) then case when s.synced and not s.pending_delete then 'older' when not s.pending_delete and hash_record_extended(row(r."video_id", r."status", date_trunc('milliseconds', r."last_modified"), r."playback_position"), 0) = hash_record_extended(row(s."video_id", s."status", date_trunc('milliseconds', s."last_modified"), s."playback_position"), 0) then 'settled' else 'lost' end when s."last_modified" > r."last_modified" or (s."last_modified" is not null and r."last_modified" is null) then 'newer' when not s.synced then 'newer' when not s."video_id" = r."video_id" then 'older' else 'same' end from synced."watched_status" as s where s.user_id = $1 and s."record_name" = r."record_name" limit 1), (select case when (s.sent_hashes is not null and (not s.synced or s.pending_delete) and hash_record_extended(row(r."video_id", r."status", date_trunc('milliseconds', r."last_modified"), r."playback_position"), 0) = any (s.sent_hashes) and (s.pending_delete or hash_record_extended(row(r."video_id", r."status", date_trunc('milliseconds', r."last_modified"), r."playback_position"), 0) <> hash_record_extended(row(s."video_id", s."status", date_trunc('milliseconds', s."last_modified"), s."playback_position"), 0))) then 'newer' when s."last_modified" < r."last_modified" or (s."last_modified" is null and r."last_modified" is not null) then case when s.synced and not s.pending_delete then 'older' when not s.pending_delete and hash_record_extended(row(r."video_id", r."status", date_trunc('milliseconds', r."last_modified"), r."playback_position"), 0) = hash_record_extended(row(s."video_id", s."status", date_trunc('milliseconds', s."last_modified"), s."playback_position"), 0) then 'settled' else 'lost' end when s."last_modified" > r."last_modified" or (s."last_modified" is not null and r."last_modified" is null) then 'newer' when not s.synced then 'newer' when not s."video_id" = r."video_id" then 'older' else 'same' end from synced."watched_status" as s where s.user_id = $1 and s."video_id" = r."video_id" limit 1)) as "Standing" from unnest($2::int[], $3::text[], $4::text[], $5::timestamptz[], $6::double precision[], $7::text[], $8::text[], $9::timestamptz[], $10::text[]) as r ("Action", "video_id", "status", "last_modified", "playback_position", "record_name", "change_tag", "modified_at", "unread_fields") where r."Action" = 0 offset 0) as r;
-- watched_status: takes unsent rows, and notes what is sent of each
with picked as materialized (
  select t."video_id" as key_0,
    t.xmin::text as row_version, t.pending_delete as is_deleted, coalesce(t.sent_hashes, '{}') as sent,
    case when t.pending_delete then 0::bigint else hash_record_extended(row(t."video_id", t."status", date_trunc('milliseconds', t."last_modified"), t."playback_position"), 0) end as hash,
    t."video_id"::text as field_0, t."status"::text as field_1, case when isfinite(t."last_modified") then (extract(epoch from t."last_modified") * 1000000)::bigint::text else t."last_modified"::text end as field_2, t."playback_position"::text as field_3, t."record_name"::text as field_4, t."change_tag"::text as field_5, case when isfinite(t."modified_at") then (extract(epoch from t."modified_at") * 1000000)::bigint::text else t."modified_at"::text end as field_6, array_to_string(t.unread_fields, ',') as unread
  from synced."watched_status" as t
  where t.user_id = $1 and (not t.synced or t.pending_delete) and (t.push_pause is null or not t.push_pause @> now()
    or case when t.pending_delete then 0::bigint else hash_record_extended(row(t."video_id", t."status", date_trunc('milliseconds', t."last_modified"), t."playback_position"), 0) end <> all (coalesce(t.sent_hashes, '{}')))
  order by t."video_id"
  limit $2
  for no key update skip locked
), marked as (
  update synced."watched_status" as t
  set sent_hashes = (p.sent || p.hash)[greatest(1, cardinality(p.sent) - 14):]
  from picked as p
  where t.user_id = $1 and t."video_id" = p.key_0 and p.hash <> all (p.sent)
  returning t."video_id" as key_0, t.xmin::text as row_version
)
select coalesce(m.row_version, p.row_version) as row_version, p.is_deleted, p.sent <> '{}' as was_sent,
  p.field_0 as "video_id", p.field_1 as "status", p.field_2 as "last_modified", p.field_3 as "playback_position", p.field_4 as "record_name", p.field_5 as "change_tag", p.field_6 as "modified_at", p.unread
from picked as p
left join marked as m on m.key_0 = p.key_0
order by p.key_0;
-- watched_status: finds versions that are earlier ones of our own
with given as materialized (
  select * from unnest($2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::timestamptz[], $8::double precision[], $9::text[], $10::text[], $11::timestamptz[]) as g (key_0, row_version, "number of", "new video_id", "new status", "new last_modified", "new playback_position", "new record_name", "new change_tag", "new modified_at")
)
select g."number of" as number
from given as g
join synced."watched_status" as t on t.user_id = $1 and t."video_id" = g.key_0
where (t.sent_hashes is not null and (not t.synced or t.pending_delete) and hash_record_extended(row(g."new video_id", g."new status", date_trunc('milliseconds', g."new last_modified"), g."new playback_position"), 0) = any (t.sent_hashes) and (t.pending_delete or hash_record_extended(row(g."new video_id", g."new status", date_trunc('milliseconds', g."new last_modified"), g."new playback_position"), 0) <> hash_record_extended(row(t."video_id", t."status", date_trunc('milliseconds', t."last_modified"), t."playback_position"), 0)));
-- watched_status: notes rows that the source has taken
with given as materialized (
  select * from unnest($2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::text[], $8::text[], $9::timestamptz[], $10::double precision[], $11::text[], $12::timestamptz[], $13::double precision[]) as g (key_0, row_version, "tag of", "changed at", "name of", "unread in", "sent status", "sent last_modified", "sent playback_position", "new status", "new last_modified", "new playback_position")
)
update synced."watched_status" as t set synced = t.synced or t.xmin::text = g.row_version, push_error = case when t.xmin::text = g.row_version then null else t.push_error end, sent_hashes = case when t.xmin::text = g.row_version then null else t.sent_hashes end, push_pause = null, unread_fields = g."unread in"::text[], "change_tag" = g."tag of", "record_name" = g."name of", "modified_at" = coalesce(g."changed at", t."modified_at"), "status" = case when t.xmin::text = g.row_version or t."status" is not distinct from g."sent status" then g."new status" else t."status" end, "last_modified" = case when t.xmin::text = g.row_version or t."last_modified" is not distinct from g."sent last_modified" then g."new last_modified" else t."last_modified" end, "playback_position" = case when t.xmin::text = g.row_version or t."playback_position" is not distinct from g."sent playback_position" then g."new playback_position" else t."playback_position" end from given as g
where t.user_id = $1 and t."video_id" = g.key_0;
-- watched_status: deletes rows whose record is gone
with given as materialized (
  select * from unnest($2::text[], $3::text[], $4::text[]) as g (key_0, row_version, "name of")
), locked as materialized (
  select t."video_id" as key_0, g."name of" as name, t.xmin::text = g.row_version and (t.pending_delete or 0::bigint <> all (coalesce(t.sent_hashes, '{}'))) as goes, not t.pending_delete as is_edit
  from synced."watched_status" as t
  join given as g on t."video_id" = g.key_0
  where t.user_id = $1
  order by t."video_id"
  for update of t
), gone as (
  delete from synced."watched_status" as t using locked as l where t.user_id = $1 and t."video_id" = l.key_0 and l.goes
  returning l.name, l.is_edit
), kept as (
  update synced."watched_status" as t set synced = false, sent_hashes = null, "change_tag" = null from locked as l
  where t.user_id = $1 and t."video_id" = l.key_0 and not l.goes
  returning l.name, l.is_edit
)
select jobrunner.lose_edits($1, $5, $6, $7,
  (select array_agg(s.name) from gone as s where is_edit)) as edits_lost,
  case when exists (select from gone) then jobrunner.look_for_survivors($1, $5, $7) end as survivors;
-- watched_status: sends rows anew whose record is gone
with given as materialized (
  select * from unnest($2::text[], $3::text[], $4::text[]) as g (key_0, row_version, "name of")
), locked as materialized (
  select t."video_id" as key_0, g."name of" as name, false as goes, not t.pending_delete as is_edit
  from synced."watched_status" as t
  join given as g on t."video_id" = g.key_0
  where t.user_id = $1
  order by t."video_id"
  for update of t
), gone as (
  delete from synced."watched_status" as t using locked as l where t.user_id = $1 and t."video_id" = l.key_0 and l.goes
  returning l.name, l.is_edit
), kept as (
  update synced."watched_status" as t set synced = false, sent_hashes = null, "change_tag" = null from locked as l
  where t.user_id = $1 and t."video_id" = l.key_0 and not l.goes
  returning l.name, l.is_edit
)
select jobrunner.lose_edits($1, $5, $6, $7,
  (select array_agg(s.name) from gone as s where is_edit)) as edits_lost,
  jobrunner.tell_conflicts($1, $5, $6, $7,
    (select array_agg(k.name) from kept as k where k.is_edit), 'ours') as told,
  case when exists (select from gone) then jobrunner.look_for_survivors($1, $5, $7) end as survivors;
-- watched_status: lets rows give way to the source's version
with given as materialized (
  select * from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::double precision[], $8::text[], $9::text[], $10::timestamptz[], $11::text[], $12::text[]) as g (key_0, row_version, "new_0", "new_1", "new_2", "new_3", "new_4", "new_5", "new_6", "unread", "name of")
), replaced as (
  update synced."watched_status" as t set "video_id" = g.new_0, "status" = g.new_1, "last_modified" = g.new_2, "playback_position" = g.new_3, "record_name" = g.new_4, "change_tag" = g.new_5, "modified_at" = g.new_6, synced = true, push_error = null, push_pause = null, pending_delete = false, sent_hashes = null, unread_fields = g.unread::text[] from given as g
  where t.user_id = $1 and t."video_id" = g.key_0 and t.xmin::text = g.row_version and (g.new_0 = g.key_0 or not exists (select from synced."watched_status" as o where o.user_id = $1 and o."video_id" = g.new_0))
  returning g."name of" as name
), stuck as (
  update synced."watched_status" as t set push_error = 'KEY_TAKEN: another row has the key that the record has at the source'
  from given as g
  where t.user_id = $1 and t."video_id" = g.key_0 and t.xmin::text = g.row_version and not (g.new_0 = g.key_0 or not exists (select from synced."watched_status" as o where o.user_id = $1 and o."video_id" = g.new_0))
  returning true
)
select jobrunner.lose_edits($1, $13, $14, $15,
  (select array_agg(s.name) from replaced as s where true)) as edits_lost, (select count(*) from stuck) as edits_stuck;
-- watched_status: notes why the source refused rows
with given as materialized (
  select * from unnest($2::text[], $3::text[], $4::text[], $5::boolean[], $6::bigint[]) as g (key_0, row_version, "error", "pauses", "wait_ms")
)
update synced."watched_status" as t set push_error = g.error,
  push_pause = case
    when g.wait_ms > 0 then tstzrange(now(), now() + g.wait_ms * interval '1 ms')
    when g.pauses then tstzrange(now(), now() + least(
      coalesce(2 * (upper(t.push_pause) - lower(t.push_pause)), interval '1 minute'), interval '1 day')) end
from given as g
where t.user_id = $1 and t."video_id" = g.key_0
  and (g.pauses or g.wait_ms > 0 or t.push_error is distinct from g.error);
