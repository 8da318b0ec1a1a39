create or replace function jobrunner.keep_audit() returns trigger
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Refuses to change or delete rows of audit, whoever asks, but for forget_acts: the stack of calls tells who that is,
-- which no setting of a session can. Not for callers: a trigger on audit.
declare
  v_calls text;
begin
  get diagnostics v_calls = pg_context;
  if tg_op = 'DELETE' and v_calls ~ '(^|\n)PL/pgSQL function jobrunner\.forget_acts\(interval\) line ' then
    return null;
  end if;
  raise exception 'rows of jobrunner.audit are only ever added' using errcode = '42501',
    hint = 'Old ones go by themselves (maintain_runs).';
end
$$;
comment on function jobrunner.keep_audit is 'Refuses to change or delete rows of audit. Not for callers: a trigger on audit.';
create or replace trigger audit_is_only_added_to before update or delete or truncate on jobrunner.audit
for each statement execute function jobrunner.keep_audit();
comment on trigger audit_is_only_added_to on jobrunner.audit is 'Nobody changes or deletes what was done.';
