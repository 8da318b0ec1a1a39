create or replace function jobrunner.remove_users(
  in_user_ids bigint[]
) returns jsonb
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Removes users and all rows that are their own. The secrets go first, then the jobs: from then on no run can prove
-- its claim, so after the commit no row of theirs can appear again. Returns what was removed, as the deletes count it:
-- {secrets, jobs, checkpoints, runs, events, rows: {table: count}}, each table of schema synced among them.
-- Not for callers: remove_user, remove_tenant.
declare
  v_table text;
  v_writes text;
  v_count bigint;
  v_rows jsonb := '{}';
  v_removed jsonb := '{}';
begin
  -- The order of set_secret: users, secrets, jobs.
  perform from jobrunner.users as u where u.id = any (in_user_ids) order by u.id for update;
  delete from jobrunner.secrets where user_id = any (in_user_ids) and user_id <> 0;
  get diagnostics v_count = row_count;
  v_removed := v_removed || jsonb_build_object('secrets', v_count);
  delete from jobrunner.renewals where user_id = any (in_user_ids) and user_id <> 0;
  delete from jobrunner.jobs where user_id = any (in_user_ids);
  get diagnostics v_count = row_count;
  v_removed := v_removed || jsonb_build_object('jobs', v_count);
  delete from jobrunner.checkpoints where user_id = any (in_user_ids);
  get diagnostics v_count = row_count;
  v_removed := v_removed || jsonb_build_object('checkpoints', v_count);
  delete from jobrunner.call_memory where user_id = any (in_user_ids);
  delete from jobrunner.raised_counts where user_id = any (in_user_ids);
  delete from jobrunner.periods where user_id = any (in_user_ids) and user_id <> 0;
  delete from jobrunner.armed_triggers where user_id = any (in_user_ids);
  delete from jobrunner.seen_pages where user_id = any (in_user_ids);
  delete from jobrunner.runs where user_id = any (in_user_ids);
  get diagnostics v_count = row_count;
  v_removed := v_removed || jsonb_build_object('runs', v_count);
  delete from jobrunner.events where user_id = any (in_user_ids);
  get diagnostics v_count = row_count;
  v_removed := v_removed || jsonb_build_object('events', v_count);
  v_writes := jobrunner.own_writes('on');
  for v_table in select t.name from jobrunner.synced_tables as t order by t.name loop
    execute format('delete from synced.%I where user_id = any ($1)', v_table) using in_user_ids;
    get diagnostics v_count = row_count;
    v_rows := v_rows || jsonb_build_object(v_table, v_count);
  end loop;
  perform jobrunner.own_writes(v_writes);
  delete from jobrunner.users where id = any (in_user_ids);
  return v_removed || jsonb_build_object('rows', v_rows);
end
$$;
comment on function jobrunner.remove_users is 'Removes users and everything that is their own. Not for callers: remove_user, remove_tenant.';
