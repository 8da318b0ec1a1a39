create or replace function jobrunner.keeps_edits(
  in_outcome text,
  in_kind text
) returns boolean
language sql immutable parallel safe
-- Whether a run that ended so has read all, and has edits left that the source refuses one by one.
return in_outcome = 'partial' and in_kind in ('edits_refused', 'quota_exceeded', 'rate_limited');
comment on function jobrunner.keeps_edits is 'Whether a run has read all and keeps refused edits. Not for callers: runs.';
