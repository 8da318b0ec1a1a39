create or replace function jobrunner.age_of_rows(
  in_user_id bigint,
  in_job text
) returns interval
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
-- How old a job's stored rows may be: since the pass of its entity that was completed longest ago; chunks
-- of a list come and go, so an entity of them is as old as the job's last complete run.
-- Null: an enabled entity was never read to its end, or no table of theirs has a row of the user.
-- Not for callers: want_fresh, age_of_job.
declare
  v_age interval;
  v_table text;
  v_found boolean := false;
begin
  select case when bool_and(read.at is not null) then now() - min(read.at) end into v_age
  from jobrunner.job_files as f
  cross join lateral jsonb_array_elements(f.expanded -> 'entities') as e
  left join jobrunner.checkpoints as k
    on k.user_id = in_user_id and k.job_name = f.name and k.entity = e ->> 'entity'
  left join jobrunner.jobs as j on j.user_id = in_user_id and j.name = f.name
  cross join lateral (
    select case
      when e ? 'for_each' then j.last_success_at
      when k.last_synced_at is not null then greatest(k.last_synced_at, j.unchanged_at)
    end
  ) as read (at)
  where f.name = in_job and e ->> 'enabled' is distinct from 'false';
  for v_table in
    select distinct e -> 'write' ->> 'table'
    from jobrunner.job_files as f
    cross join lateral jsonb_array_elements(f.expanded -> 'entities') as e
    where f.name = in_job and e ->> 'enabled' is distinct from 'false' and e -> 'write' ->> 'table' is not null
  loop
    exit when v_found or v_age is null;
    execute format('select exists (select from synced.%I as r where r.user_id = $1)', v_table)
    into v_found using in_user_id;
  end loop;
  return case when v_found then greatest(v_age, interval '0') end;
end
$$;
comment on function jobrunner.age_of_rows is 'Age of a job''s stored rows of a user. Not for callers: want_fresh, age_of_job.';
