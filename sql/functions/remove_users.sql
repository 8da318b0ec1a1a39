create or replace function jobrunner.remove_users(
  in_user_ids bigint[]
) returns void
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Removes users and all rows that are their own. The secrets go first, then the jobs: from then on no run can prove
-- its claim, so after the commit no row of theirs can appear again. Not for callers: remove_user, remove_tenant.
declare
  v_table text;
  v_writes text;
begin
  -- The order of set_secret: users, secrets, jobs.
  perform from jobrunner.users as u where u.id = any (in_user_ids) order by u.id for update;
  delete from jobrunner.secrets where user_id = any (in_user_ids) and user_id <> 0;
  delete from jobrunner.renewals where user_id = any (in_user_ids) and user_id <> 0;
  delete from jobrunner.jobs where user_id = any (in_user_ids);
  delete from jobrunner.checkpoints where user_id = any (in_user_ids);
  delete from jobrunner.call_memory where user_id = any (in_user_ids);
  delete from jobrunner.raised_counts where user_id = any (in_user_ids);
  delete from jobrunner.periods where user_id = any (in_user_ids) and user_id <> 0;
  delete from jobrunner.armed_triggers where user_id = any (in_user_ids);
  delete from jobrunner.seen_pages where user_id = any (in_user_ids);
  delete from jobrunner.runs where user_id = any (in_user_ids);
  delete from jobrunner.events where user_id = any (in_user_ids);
  v_writes := jobrunner.own_writes('on');
  for v_table in select t.name from jobrunner.synced_tables as t order by t.name loop
    execute format('delete from synced.%I where user_id = any ($1)', v_table) using in_user_ids;
  end loop;
  perform jobrunner.own_writes(v_writes);
  delete from jobrunner.users where id = any (in_user_ids);
end
$$;
comment on function jobrunner.remove_users is 'Removes users and everything that is their own.';
