create or replace function jobrunner.cause_hint(
  in_kind text,
  in_source text,
  in_tenant text,
  in_job text,
  in_user text
) returns text
language sql stable
set search_path = pg_catalog, pg_temp
as $$
-- What helps against a kind of error (cause_kinds), with the names of one who has it. An open breaker is told as the
-- absence that opened it, and a word of the job file's own as what the source says.
select replace(replace(replace(replace(k.hint, '{source}', jobrunner.shell_word(in_source)),
  '{tenant}', jobrunner.shell_word(in_tenant)), '{job}', jobrunner.shell_word(in_job)),
  '{user}', jobrunner.shell_word(in_user))
from jobrunner.cause_kinds as k
where in_kind is not null and k.kind = case
    when in_kind = 'breaker_open' then 'unavailable'
    when exists (select from jobrunner.cause_kinds as o where o.kind = in_kind) then in_kind
    else 'source_error'
  end
$$;
comment on function jobrunner.cause_hint is 'What helps against a kind of error, as a command with names.';
