create or replace function jobrunner.explain_job(
  in_tenant text,
  in_user text,
  in_job text
) returns text
language plpgsql stable
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Why a user's job, or the tenant's (user null or *), is or is not running, and behind it a sentence for each trouble
-- of its entities that waits for a person. Raises JR010, JR011, JR012.
begin
  return jobrunner.why_of_job(in_tenant, in_user, in_job) || coalesce((
    select string_agg(
      format(' Entity %s waits for a person since %s ago (%s): %s.', k.entity,
        jobrunner.words_for(now() - (t.value ->> 'since')::timestamptz), t.key, t.value ->> 'error'),
      '' order by k.entity, t.key)
    from jobrunner.user_named(in_tenant, coalesce(in_user, '*')) as u
    join jobrunner.checkpoints as k on k.user_id = u.id and k.job_name = in_job and k.troubles is not null
    cross join lateral jsonb_each(k.troubles) as t
  ), '');
end
$$;
comment on function jobrunner.explain_job is 'Why a user''s job is or is not running, in a sentence, and what of it waits for a person.';
