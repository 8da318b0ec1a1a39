create or replace function jobrunner.rights_of_roles() returns table (
  kind text,
  "right" text,
  place oid,
  signature text,
  columns text[]
)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
-- What each kind of role may do here, one by one: call a function, use a sequence, or select, insert, update or delete
-- in a table or view; columns null: in all of them. place and signature name the function, or the relation.
-- A verb for callers acts with the rights of its owner (security definer) and asks whose tenant it is. What a claim, a
-- run and a page call acts with those of the worker, whose rights on tables are therefore its real ones.
-- Not for callers: grant_roles.
declare
  -- What an application may call, for its own tenant.
  v_applications constant text[] := array[
    'add_user', 'add_users', 'age_of_job', 'cancel_jobs', 'changes_since', 'delete_record', 'edit_list',
    'edit_record', 'enqueue', 'enqueue_all', 'events_since', 'explain_job', 'export_user', 'list_items',
    'own_tenant_id', 'pause_jobs', 'push_soon', 'remove_secret', 'remove_user', 'replace_list', 'resume_jobs',
    'save_record', 'sealing_key', 'secret_names', 'set_period', 'set_secret', 'set_user', 'status_of', 'trigger_event', 'want_fresh'
  ];
  -- Records, which are the applications' alone.
  v_records constant text[] := array[
    'changes_since', 'delete_record', 'edit_record', 'events_since', 'list_items', 'push_soon', 'save_record'
  ];
  -- What operators may call beside the rest of that; they read with functions of the views, which readers may call.
  v_operators constant text[] := array[
    'act_on_jobs', 'add_application', 'add_secrets', 'add_tenant', 'add_tenant_key', 'close_breaker', 'count_waiting', 'duplicates', 'give_job',
    'hasten_push', 'jobs_named', 'keeps_edits', 'look_at_rows', 'merge_duplicates', 'note_look', 'pause_job_file',
    'remove_application', 'remove_tenant', 'renew_tenant_key', 'repair_jobs', 'reset_jobs', 'resume_job_file', 'retry_jobs',
    'set_source', 'set_tenant', 'take_job', 'tenant_named', 'tenant_user', 'user_named', 'waiting_edits',
    'wrapping_keys'
  ];
  v_readers constant text[] := array[
    'bare_query', 'cause_hint', 'describe_counters', 'endless_at', 'has_session', 'is_alive', 'is_fruitless', 'jobs_meant',
    'other_files', 'session_figures', 'shell_word', 'words_for'
  ];
  -- Definers that workers call.
  v_workers constant text[] := array[
    'add_tenant_key', 'bring_secret', 'count_waiting', 'duplicates', 'endless_at', 'hasten_push', 'is_fruitless',
    'lock_refused', 'maintain_runs', 'merge_duplicates', 'other_files', 'own_tenant_id', 'read_job',
    'replace_tenant_key', 'sealing_key', 'session_figures', 'wrapping_keys'
  ];
  -- What only migrate and the owner call: it acts with the rights of its caller, and none but the owner's are enough.
  v_migrate constant text[] := array[
    'add_person', 'remove_person',
    'describe_counters', 'forget_entity', 'grant_roles', 'guard_next_table', 'make_lacking_jobs', 'mend_restored',
    'mend_sequences', 'revoke_public', 'rights_of_roles', 'schedule_next_jobs', 'show_own', 'store_job_file',
    'watch_table'
  ];
  -- What workers read and do not write, and what is none of theirs.
  v_read constant text[] := array[
    'applied_code', 'job_files', 'migrations', 'periods', 'synced_tables', 'tenant_jobs', 'tenants', 'users'
  ];
  -- What workers write some columns of.
  v_parts constant text[] := array['secrets', 'sources'];
  v_hidden constant text[] := array[
    'application_logins', 'applications', 'audit', 'audit_trail', 'change_floors', 'change_turns', 'changes',
    'migrating', 'people', 'roles', 'secret_overview'
  ];
  -- Columns that hold text of a source or of a user, and positions, which readers do not see.
  v_texts constant text[] := array[
    'asked', 'attributes', 'base', 'cursor', 'entities', 'error', 'expanded', 'last_error', 'made',
    'partial_watermark', 'pass_probe', 'pass_since', 'probe', 'record_failures', 'skip_reason', 'sync_token',
    'troubles', 'unread', 'validator', 'watermark'
  ];
  v_views constant text[] := array[
    'blocked_sources', 'cause_kinds', 'causes', 'counted_freshness', 'entity_progress', 'failing_jobs', 'gauges',
    'history', 'job_file_entities', 'job_file_workers', 'job_overview', 'jobs_in_trouble', 'kinds_of_trouble', 'late_jobs', 'lock_holders',
    'quarantined_jobs', 'raised_alerts', 'running_jobs', 'runs_of_day', 'source_overview', 'tenant_freshness',
    'tenant_overview', 'tenant_shares', 'user_overview', 'user_story', 'waiting_reasons', 'worker_files', 'worker_health'
  ];
  v_tables constant text[] := array[
    'applied_code', 'cause_counts', 'checkpoints', 'chores', 'claims', 'freshness_counts', 'history_counts', 'job_files', 'jobs',
    'migrations', 'people', 'periods', 'runs', 'slot_use', 'sources', 'swept_counts', 'tenant_jobs', 'tenants', 'trouble_counts', 'users',
    'waiting_counts', 'workers'
  ];
  v_unknown text;
begin
  -- A name that is nobody's would be a right that nobody has.
  select string_agg(n.name, ', ') into v_unknown
  from (
    select unnest(v_applications || v_operators || v_readers || v_workers || v_migrate) as name
    except select p.proname from pg_proc as p where p.pronamespace = 'jobrunner'::regnamespace
    union all
    (select unnest(v_read || v_hidden || v_views || v_tables)
      except select c.relname from pg_class as c where c.relnamespace = 'jobrunner'::regnamespace)
  ) as n;
  if v_unknown is not null then
    raise exception 'rights are listed of %, which are not there', v_unknown;
  end if;
  return query
    select k.kind, 'execute', p.oid, p.oid::regprocedure::text, null::text[]
    from pg_proc as p
    cross join lateral (
      select 'application' as kind where p.proname = any (v_applications)
      union all select 'operator'
      where p.proname = any (v_applications || v_operators || v_readers) and p.proname <> all (v_records)
      union all select 'reader' where p.proname = any (v_readers)
      union all select 'worker'
      where p.proname = any (v_workers) or not p.prosecdef and p.prorettype <> 'trigger'::regtype
        and p.proname <> all (v_migrate)
    ) as k
    where p.pronamespace = 'jobrunner'::regnamespace;

  return query
    select r.kind, r."right", c.oid, c.oid::regclass::text, r.columns
    from pg_class as c
    join pg_namespace as n on n.oid = c.relnamespace
    cross join lateral (
      select 'operator' as kind, 'select' as "right", case c.relname
          when 'secrets' then array['tenant_id', 'user_id', 'name', 'key_id', 'updated_at', 'current_since', 'is_brought', 'version']
          when 'tenant_keys' then array['tenant_id', 'id', 'public_key', 'wrapped_by', 'made_at', 'retired_at', 'renewal_asked_at']
          when 'renewals' then array['tenant_id', 'user_id', 'credential', 'leased_until', 'job_user_id', 'job_name', 'fence', 'good_until']
        end as columns
      where n.nspname = 'jobrunner'
      union all
      select 'reader', 'select', case when t.columns is not null then t.columns end
      from (
        select case when bool_or(a.attname = any (v_texts) or a.attname = 'detail' and c.relname = 'jobs_in_trouble')
          then array_agg(a.attname::text order by a.attnum)
            filter (where a.attname <> all (v_texts) and (a.attname <> 'detail' or c.relname <> 'jobs_in_trouble'))
          end as columns
        from pg_attribute as a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      ) as t
      where n.nspname = 'jobrunner' and c.relname = any (v_views || v_tables)
      union all
      select 'application', 'select', null where n.nspname = 'own' and c.relkind = 'v'
      union all
      select 'worker', w."right", null
      from unnest(array['select', 'insert', 'update', 'delete']) as w ("right")
      where c.relkind in ('r', 'p') and (
        n.nspname = 'synced'
        or c.relname <> all (v_hidden) and (w."right" = 'select' or c.relname <> all (v_read || v_parts))
          and not c.relispartition
      )
      union all
      select 'worker', 'select', null
      where n.nspname = 'jobrunner' and c.relkind = 'v' and c.relname <> all (v_hidden)
      union all
      -- What a run made; whoever locks a row needs a right to change it.
      select 'worker', 'update', array['made'] where n.nspname = 'jobrunner' and c.relname = 'users'
      union all
      -- A credential that its source has replaced.
      select 'worker', 'update', array['sealed', 'revision'] where n.nspname = 'jobrunner' and c.relname = 'secrets'
      union all
      -- Budget and breaker, and not where a tenant's source is.
      select 'worker', w."right", array(
        select a.attname::text from pg_attribute as a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attname <> 'base'
        order by a.attnum
      )
      from unnest(array['insert', 'update']) as w ("right")
      where n.nspname = 'jobrunner' and c.relname = 'sources'
    ) as r
    where n.nspname in ('jobrunner', 'synced', 'own') and c.relkind in ('r', 'p', 'v')
    union all
    select 'worker', 'usage', c.oid, c.oid::regclass::text, null
    from pg_class as c
    where c.relnamespace = 'jobrunner'::regnamespace and c.relkind = 'S';
end
$$;
comment on function jobrunner.rights_of_roles is 'What each kind of role may do here. Not for callers: grant_roles.';
