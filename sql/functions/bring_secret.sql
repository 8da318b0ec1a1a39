create or replace function jobrunner.bring_secret(
  in_tenant_id bigint,
  in_user_id bigint,
  in_job text,
  in_name text,
  in_sealed bytea,
  in_changed_at timestamptz,
  in_same_as bigint default null
) returns boolean
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Makes what a record brings the user's secret, in the transaction of its page, which began with hold_secrets.
-- What a person has set stays until it is removed: false, and nothing is stored. So it is when the secret is not older
-- than the record, which was changed at in_changed_at (null: before everything), and when that is a time to come, but
-- for clocks that differ by some minutes. So it is as well when the value is that of revision in_same_as, or sealed as
-- it is stored. Raises JR017, JR019 as check_sealed does.
declare
  -- A clock that is a little ahead must not keep out what comes later.
  v_changed_at timestamptz := least(coalesce(in_changed_at, '-infinity'), now());
  v_stored jobrunner.secrets;
begin
  if in_changed_at > now() + interval '5 minutes' then
    return false;
  end if;
  select s.* into v_stored
  from jobrunner.secrets as s
  where s.user_id = in_user_id and s.tenant_id = in_tenant_id and s.name = in_name
  for no key update;
  if not v_stored.is_brought or v_stored.current_since >= v_changed_at then
    return false;
  end if;
  if v_stored.revision = in_same_as or v_stored.sealed = in_sealed then
    update jobrunner.secrets as s set current_since = v_changed_at
    where s.user_id = in_user_id and s.tenant_id = in_tenant_id and s.name = in_name;
    return false;
  end if;
  perform jobrunner.store_secret(in_tenant_id, in_user_id, in_name, in_sealed, v_changed_at, in_job);
  perform jobrunner.note_act('bring_secret', in_name, jsonb_build_object('job', in_job),
    in_tenant_id => in_tenant_id, in_user_id => in_user_id);
  return true;
end
$$;
comment on function jobrunner.bring_secret is 'Makes what a record brings the user''s secret, unless that is newer.';
