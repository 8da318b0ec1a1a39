create or replace function jobrunner.run_inputs(
  in_user_ids bigint[],
  in_names text[],
  in_reads integer[],
  in_secrets text[] default null
) returns table (
  number integer,
  tenant_name text,
  user_key text,
  attributes text,
  checkpoints text,
  calls text,
  secrets text,
  too_long text
)
language plpgsql stable
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
-- What claimed runs must know of the past before their first request: a row for each given job, by its place from 1;
-- none for a user that was removed meanwhile, whose jobs are gone too.
-- in_reads: what each job file can make use of: 1 checkpoints, 2 remembered calls, 4 secrets, added up; else null.
-- in_secrets: the names of the secrets that each job file names, between blanks; null: all. Of any other a run learns
-- that it is there, in which version, and not what it holds: one that is too long, or sealed with another key, is no
-- matter of this job. checkpoints: objects by the names of the columns; times in microseconds since 1970 end in _us, an
-- infinite one as text. too_long: what of it is longer than a worker takes for one job, which then gets none of that;
-- null: nothing.
declare
  most constant integer := 524288;
begin
  return query
    select g.number::integer, t.name, u.key,
      case when octet_length(a.list) <= most then nullif(a.list, '{}') end,
      case when octet_length(c.list) <= most then c.list end,
      case when octet_length(m.list) <= most then m.list end,
      case when octet_length(s.list) <= most then s.list end,
      case
        when greatest(octet_length(a.list), octet_length(c.list), octet_length(m.list), octet_length(s.list)) > most
        then jobrunner.longest_input(g.user_id, g.name, string_to_array(g.secrets, ' '))
      end
    from unnest(in_user_ids, in_names, in_reads, in_secrets) with ordinality as g (user_id, name, reads, secrets,
      number)
    join jobrunner.users as u on u.id = g.user_id
    join jobrunner.tenants as t on t.id = u.tenant_id
    -- With an offset each text is made once, whatever it is compared with.
    cross join lateral (select (u.attributes || u.made)::text as list offset 0) as a
    cross join lateral (
      select case when g.reads & 1 <> 0 then (
        select json_agg(k.inputs)::text
        from jobrunner.checkpoint_inputs as k
        -- Those of items are asked for by the runs of their entities, as they come to them.
        where k.user_id = g.user_id and k.job_name = g.name and strpos(k.entity, '#') = 0
      ) end as list offset 0
    ) as c
    cross join lateral (
      select case when g.reads & 2 <> 0 then (
        select json_agg(json_build_array(
          m.call, m.list_hash,
          case
            when isfinite(m.last_succeeded_at)
            then greatest(date_part('epoch', now() - m.last_succeeded_at) * 1000, 0)::bigint
            else 10000000000000
          end
        ))::text
        from jobrunner.call_memory as m
        where m.user_id = g.user_id and m.job_name = g.name
      ) end as list offset 0
    ) as m
    cross join lateral (
      select case when g.reads & 4 <> 0 then (
        select json_agg(json_build_array(
          s.user_id, s.name,
          case when g.secrets is null or s.name = any (string_to_array(g.secrets, ' '))
            then encode(s.sealed, 'hex') end,
          s.version, s.revision
        ))::text
        from jobrunner.secrets as s
        where s.user_id in (0, g.user_id) and s.tenant_id = u.tenant_id
      ) end as list offset 0
    ) as s;
end
$$;
comment on function jobrunner.run_inputs is 'What claimed runs must know before their first request.';
