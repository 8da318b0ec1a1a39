drop function if exists jobrunner.finish_runs(
  bigint[], text[], bigint[], uuid[], text[], text[], text[], text[], bigint[], bigint[], text[], text[], boolean[], boolean[]
);
create or replace function jobrunner.finish_runs(
  in_user_ids bigint[],
  in_names text[],
  in_fences bigint[],
  in_nonces uuid[],
  in_outcomes text[],
  in_error_kinds text[],
  in_errors text[],
  in_failures text[],
  in_waits_ms bigint[],
  in_requests bigint[],
  in_passes text[],
  in_calls text[],
  in_committed boolean[],
  in_unchanged boolean[],
  in_secrets text[]
) returns table (
  user_id bigint,
  name text,
  fence bigint,
  verdict text
)
language plpgsql volatile
set search_path = pg_catalog
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
-- Writes each run's outcome once and decides when its job is due next. All well: no rows. A row says
-- 'lost' (the claim was taken away, nothing is written), 'busy' (somebody's transaction holds the job or its secrets:
-- nothing is written, try it again), 'quarantined' (the job was set aside) or 'endless' (its pass begins to count as one
-- that does not end).
-- in_failures: per run null or [{entity, kind, error}], where it failed; in_waits_ms: how long a deferred one waits;
-- in_passes: per run null or [{entity, generation, pass_number, page_number, watermark, sync_token, validator, probe,
-- full_us}], passes that ended without anything to write, with the page they follow, 0: none of the pass; in_calls: per run null or [{call, list_hash}], calls that succeeded and no page remembered;
-- in_committed: the run may have committed a page or a push; in_unchanged: it read every entity and found nothing to note;
-- in_secrets: versions of the secrets that a refused run had read, with commas between.
-- Locks jobs in key order, and waits for none but by a race: then finish_idle_runs gives up within 100 ms.
#variable_conflict use_column
declare
  v_count integer := cardinality(in_fences);
  v_done bigint[];
  v_held bigint[];
  v_place bigint;
begin
  -- Nearly all runs find nothing new: those are ended by one update, which writes nothing but the job. Of many, nearly none were
  -- asked for, and only what is left over is looked at again.
  v_done := jobrunner.finish_idle_runs(
    in_user_ids, in_names, in_fences, in_nonces, in_outcomes, in_passes, in_calls, in_requests, in_committed, in_unchanged,
    v_count <= 8
  );
  if cardinality(v_done) < v_count and v_count > 8 then
    v_done := v_done || jobrunner.finish_idle_runs(
      in_user_ids, in_names, in_fences, in_nonces, in_outcomes, in_passes, in_calls, in_requests, in_committed, in_unchanged, true
    );
  end if;
  if cardinality(v_done) = v_count then
    return;
  end if;

  -- A statement of its own: what follows must see all that the runs had committed when their jobs were locked.
  v_held := jobrunner.lock_ending_runs(in_user_ids, in_names, in_fences, in_nonces, in_outcomes, v_done);
  if v_held <> '{}' then
    if array_remove(in_passes, null) <> '{}' then
      -- A reset came between, or a failover has lost the page before the end: the run reads again.
      foreach v_place in array jobrunner.note_ended_passes(v_held, in_user_ids, in_names, in_passes, in_failures) loop
        if in_outcomes[v_place] = 'complete' then
          in_outcomes[v_place] := 'partial';
          in_error_kinds[v_place] := 'reset';
        end if;
      end loop;
    end if;
    if array_remove(in_calls, null) <> '{}' then
      perform jobrunner.note_calls(v_held, in_user_ids, in_names, in_calls);
    end if;
    if array_remove(in_failures, null) <> '{}' then
      perform jobrunner.note_entity_failures(v_held, in_user_ids, in_names, in_failures);
    end if;
    return query
      select q.user_id, q.name, q.fence, 'quarantined'
      from jobrunner.finish_held_runs(
        v_held, in_user_ids, in_names, in_outcomes, in_error_kinds, in_errors, in_waits_ms, in_requests, in_unchanged,
        in_secrets
      ) as q;
    if 'partial' = any (in_outcomes) then
      return query
        select in_user_ids[e.place], in_names[e.place], in_fences[e.place], 'endless'
        from unnest(jobrunner.endless_runs(v_held, in_user_ids, in_names, in_outcomes)) as e (place);
    end if;
  end if;

  return query
    select g.user_id, g.name, g.fence, case when j.user_id is null then 'lost' else 'busy' end
    from unnest(in_user_ids, in_names, in_fences, in_nonces) with ordinality as g (user_id, name, fence, nonce, place)
    left join jobrunner.jobs as j
      on j.user_id = g.user_id and j.name = g.name and j.fence = g.fence and j.nonce = g.nonce and j.state = 'running'
    where g.fence <> all (v_done) and g.place <> all (v_held);
end
$$;
comment on function jobrunner.finish_runs is
  'Ends runs with their outcomes, once each, and decides what follows for their jobs.';
