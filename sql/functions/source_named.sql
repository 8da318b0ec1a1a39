create or replace function jobrunner.source_named(
  in_tenant text,
  in_source text
) returns jobrunner.sources
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
-- A tenant's source by its id. Raises JR010, or JR015 for a source that no job of the tenant uses. Not for callers:
-- verbs.
declare
  v_tenant jobrunner.tenants := jobrunner.tenant_named(in_tenant);
  v_source jobrunner.sources;
begin
  select s.* into v_source from jobrunner.sources as s where s.tenant_id = v_tenant.id and s.name = in_source;
  if not found then
    raise exception 'no job of tenant ''%'' uses a source ''%''', in_tenant, in_source using errcode = 'JR015',
      hint = coalesce((
        select 'Its sources are ' || string_agg(s.name, ', ' order by s.name) || '.'
        from jobrunner.sources as s
        where s.tenant_id = v_tenant.id and position('@' in s.name) = 0
      ), 'Give it a job first.');
  end if;
  return v_source;
end
$$;
comment on function jobrunner.source_named is 'Finds a tenant''s source by its id, or raises. Not for callers: verbs.';
