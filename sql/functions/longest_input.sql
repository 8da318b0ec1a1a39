create or replace function jobrunner.longest_input(
  in_user_id bigint,
  in_name text,
  in_secrets text[] default null
) returns text
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
-- Names the one to blame when what a run must know is too long to be given to a worker.
-- in_secrets: the secrets that it is given; null: all.
begin
  return (
    select format('%s is %s bytes long', i.what, i.length)
    from (
      select format('user attribute %s', left(a.key, 100)), octet_length(a.value::text)
      from jobrunner.users as u
      cross join lateral jsonb_each(u.attributes || u.made) as a
      where u.id = in_user_id
      union all
      select format('%s in the checkpoint of entity %s', c.name, left(k.entity, 100)), c.length
      from jobrunner.checkpoints as k
      cross join lateral (values
        ('cursor', octet_length(k.cursor)), ('sync_token', octet_length(k.sync_token)),
        ('pass_since', octet_length(k.pass_since)), ('watermark', octet_length(k.watermark)),
        ('partial_watermark', octet_length(k.partial_watermark)), ('validator', octet_length(k.validator)),
        ('probe', octet_length(k.probe)), ('pass_probe', octet_length(k.pass_probe))
      ) as c (name, length)
      where k.user_id = in_user_id and k.job_name = in_name
      union all
      select format('list_hash in the memory of call %s', left(m.call, 100)), octet_length(m.list_hash)
      from jobrunner.call_memory as m
      where m.user_id = in_user_id and m.job_name = in_name
      union all
      select format('secret %s', s.name), octet_length(s.sealed)
      from jobrunner.users as u
      join jobrunner.secrets as s on s.tenant_id = u.tenant_id and s.user_id in (0, u.id)
      where u.id = in_user_id and (in_secrets is null or s.name = any (in_secrets))
    ) as i (what, length)
    order by i.length desc nulls last
    limit 1
  );
end
$$;
comment on function jobrunner.longest_input is 'The longest value that a run of the job would be given, in words.';
