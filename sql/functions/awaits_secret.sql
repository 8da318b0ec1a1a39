create or replace function jobrunner.awaits_secret(
  in_job jobrunner.jobs
) returns boolean
language sql immutable parallel safe
as $$
-- A new secret lets the job go on: it is parked for want of one, or its last run ended because what the operator stores
-- is refused, or sealed with another key than the workers'. Without a set clause, so that PostgreSQL writes it into its
-- caller.
-- Not for callers: hold_secrets, store_secret.
select (in_job).reauth_needed_at is not null
  or (in_job).worker_id is null and (in_job).last_outcome in ('failed', 'deferred')
    and (in_job).last_error_kind in ('client_refused', 'no_key')
$$;
comment on function jobrunner.awaits_secret is 'Whether a new secret lets a job go on. Not for callers: hold_secrets, store_secret.';
