create or replace function jobrunner.set_source(
  in_tenant text,
  in_source text,
  in_base text
) returns void
language plpgsql volatile
security definer
set search_path = pg_catalog, pg_temp
as $$
-- Points a tenant's source at another address than the job file's; null: back to the job file's. Raises JR010, or
-- JR015 for a source that no job of the tenant uses.
declare
  v_source jobrunner.sources := jobrunner.source_named(in_tenant, in_source);
begin
  if position('@' in v_source.name) > 0 then
    raise exception '''%'' is a host that users chose of source ''%''', v_source.name, split_part(v_source.name, '@', 1)
      using errcode = 'JR015', hint = 'An address is set for the source.';
  end if;
  update jobrunner.sources as s set base = rtrim(in_base, '/')
  where s.tenant_id = v_source.tenant_id and s.name = v_source.name;
  -- A path may hold what only the source is to know.
  perform jobrunner.note_act('set_source', v_source.name,
    jsonb_build_object('host', substring(in_base from '^https?://[^/?#]+')), in_tenant_id => v_source.tenant_id);
end
$$;
comment on function jobrunner.set_source is 'Points a tenant''s source at another address.';
