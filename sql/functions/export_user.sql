create or replace function jobrunner.export_user(
  in_tenant text,
  in_user text
) returns table (
  part text,
  name text,
  content jsonb
)
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Everything that is stored of a user and that a person may have by law, a row each, in a stable order. It begins with
-- the user and its attributes, names of secrets and when they were set, jobs, and how far their entities are. Periods,
-- calls, numbers it has raised, rows and lists, events and runs follow. What the machine alone can read is left out:
-- positions at a source, hashes, record tags and all that is sealed. Raises JR010, JR011.
-- Left out: jobrunner.audit, since it tells of operators, who are other people.
-- Left out: jobrunner.renewals, since access tokens are sealed.
-- Left out: jobrunner.seen_pages, since it has hashes of the keys of rows that are exported.
-- Left out: jobrunner.save_turns, since it is empty to whoever looks.
-- Left out: jobrunner.limited_runs, since it counts runs that are under way.
-- Left out: jobrunner.cause_counts, since it names one as the example of many.
-- Left out: jobrunner.claims, since it has numbers of the runs of many that are under way.
declare
  v_user jobrunner.users := jobrunner.user_named(in_tenant, in_user);
  v_table record;
begin
  perform jobrunner.note_act('export_user', in_tenant_id => v_user.tenant_id, in_user_id => v_user.id);
  return query select 'user', v_user.key, jsonb_build_object('attributes', v_user.attributes || v_user.made,
    'added_at', v_user.created_at, 'paused_at', v_user.paused_at);
  return query
    select 'secret', s.name, jsonb_build_object('set_at', s.updated_at)
    from jobrunner.secrets as s where s.user_id = v_user.id and s.tenant_id = v_user.tenant_id
    order by s.name;
  return query
    select 'job', j.name, jsonb_build_object('state', j.state, 'every', j.every, 'due_at', j.due_at,
      'paused_at', j.paused_at, 'last_run_at', j.last_run_at, 'last_outcome', j.last_outcome,
      'last_success_at', j.last_success_at, 'error_kind', j.last_error_kind, 'error', j.last_error,
      'error_at', j.last_error_at)
    from jobrunner.jobs as j where j.user_id = v_user.id
    order by j.name;
  return query
    select 'entity', k.job_name, jsonb_build_object('entity', k.entity, 'complete_at', k.last_synced_at,
      'error_kind', k.last_error_kind, 'error', k.last_error, 'error_at', k.last_error_at,
      'failures', k.record_failures, 'unread', k.unread, 'skipped_since', k.skipped_since, 'skip_reason', k.skip_reason)
    from jobrunner.checkpoints as k where k.user_id = v_user.id
    order by k.job_name, k.entity;
  return query
    select 'period', p.job_name, jsonb_build_object('every', p.every, 'set_at', p.set_at)
    from jobrunner.periods as p where p.user_id = v_user.id and p.tenant_id = v_user.tenant_id
    order by p.job_name;
  return query
    select 'call', m.job_name, jsonb_build_object('call', m.call, 'made_at', m.last_succeeded_at)
    from jobrunner.call_memory as m where m.user_id = v_user.id
    order by m.job_name, m.call;
  return query
    select 'raised_count', r.source, jsonb_build_object('field', r.field, 'record', r.record, 'number', r.number,
      'sent_at', r.noted_at, 'arrived_at', r.arrived_at)
    from jobrunner.raised_counts as r where r.user_id = v_user.id
    order by r.source, r.field, r.record;
  return query
    select 'trigger', a.job_name, jsonb_build_object('event', a.event, 'armed_at', a.armed_at)
    from jobrunner.armed_triggers as a where a.user_id = v_user.id
    order by a.job_name, a.event;
  for v_table in
    select s.name, array_remove(array['user_id', 'sent_hashes', 'push_pause', s.writable ->> 'change_tag'], null)
        as omitted, (
        select string_agg(format('r.%I', a.attname), ', ' order by array_position(i.indkey::int2[], a.attnum))
        from pg_index as i
        join pg_attribute as a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
        where i.indrelid = to_regclass(format('synced.%I', s.name)) and i.indisprimary
      ) as key
    from jobrunner.synced_tables as s
    order by s.name
  loop
    return query execute format(
      'select ''row'', $1, to_jsonb(r.*) - $2 from synced.%I as r where r.user_id = $3 order by %s', v_table.name,
      v_table.key)
    using v_table.name, v_table.omitted, v_user.id;
  end loop;
  return query
    select 'event', e.kind, jsonb_build_object('at', e.at, 'job', e.job_name, 'entity', e.entity, 'run', e.run,
      'detail', e.detail)
    from jobrunner.events as e where e.user_id = v_user.id
    order by e.transaction_id, e.id;
  return query
    select 'run', r.job_name, jsonb_build_object('run', r.id, 'outcome', r.outcome, 'due_at', r.scheduled_at,
      'started_at', r.started_at, 'ended_at', r.ended_at, 'error_kind', r.error_kind, 'error', r.error,
      'requests', r.request_count, 'counters', r.counters, 'entities', r.entities)
    from jobrunner.runs as r where r.user_id = v_user.id
    order by r.ended_at, r.id;
end
$$;
comment on function jobrunner.export_user is 'Everything of a user that a person may have by law, a row each.';
