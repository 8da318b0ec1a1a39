create or replace function jobrunner.set_source(
  in_tenant text,
  in_source text,
  in_base text
) returns void
language plpgsql volatile
set search_path = pg_catalog
as $$
-- Points a tenant's source at another address than the job file's; null: back to the job file's. Raises JR010, or
-- JR015 for a source that no job of the tenant uses.
declare
  v_tenant jobrunner.tenants := jobrunner.tenant_named(in_tenant);
begin
  update jobrunner.sources as s set base = rtrim(in_base, '/')
  where s.tenant_id = v_tenant.id and s.name = in_source;
  if not found then
    raise exception 'no job of tenant ''%'' uses a source ''%''', in_tenant, in_source using errcode = 'JR015',
      hint = coalesce((
        select 'Its sources are ' || string_agg(s.name, ', ' order by s.name) || '.'
        from jobrunner.sources as s where s.tenant_id = v_tenant.id
      ), 'Give it a job first.');
  end if;
end
$$;
comment on function jobrunner.set_source is 'Points a tenant''s source at another address.';
