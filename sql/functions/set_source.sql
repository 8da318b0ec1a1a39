create or replace function jobrunner.set_source(
  in_tenant text,
  in_source text,
  in_base text
) returns void
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Points a tenant's source at another address than the job file's; null: back to the job file's. Raises JR010, JR015
-- for a source that no job of the tenant uses, or JR017 for http where no job file says that the source may be so.
declare
  v_source jobrunner.sources := jobrunner.source_named(in_tenant, in_source);
begin
  if position('@' in v_source.name) > 0 then
    raise exception '''%'' is a host that users chose of source ''%''', v_source.name, split_part(v_source.name, '@', 1)
      using errcode = 'JR015', hint = 'An address is set for the source.';
  end if;
  if in_base !~* '^https://' and in_base !~* '^http://(([^/:@]+\.)?localhost|127(\.[0-9]+){3}|\[::1\])(:[0-9]+)?(/|$)'
    and not exists (
      select from jobrunner.job_files as f
      where f.source = v_source.name and (f.expanded #>> '{source,insecure}')::boolean
    )
  then
    raise exception 'what goes to source ''%'' over http can be read by anybody on the way', v_source.name
      using errcode = 'JR017', hint = 'Expected https, or insecure: true in the source of its job file.';
  end if;
  update jobrunner.sources as s set base = rtrim(in_base, '/')
  where s.tenant_id = v_source.tenant_id and s.name = v_source.name;
  -- A path may hold what only the source is to know.
  perform jobrunner.note_act('set_source', v_source.name,
    jsonb_build_object('host', substring(in_base from '^https?://[^/?#]+')), in_tenant_id => v_source.tenant_id);
end
$$;
comment on function jobrunner.set_source is 'Points a tenant''s source at another address.';
