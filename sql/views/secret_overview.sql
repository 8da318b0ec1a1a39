create or replace view jobrunner.secret_overview as
select t.name as tenant, u.key as user_key, s.name, s.updated_at, s.is_brought, s.tenant_id, s.user_id
from jobrunner.secrets as s
join jobrunner.tenants as t on t.id = s.tenant_id
left join jobrunner.users as u on u.id = s.user_id;
comment on view jobrunner.secret_overview is 'Which secrets are there? Never what is in them. Filter by tenant and user_key.';
comment on column jobrunner.secret_overview.tenant is 'Name of the tenant.';
comment on column jobrunner.secret_overview.user_key is 'Key of the user; null: it is the tenant''s own.';
comment on column jobrunner.secret_overview.name is 'The x of {secret.x}.';
comment on column jobrunner.secret_overview.updated_at is 'When its value was stored.';
comment on column jobrunner.secret_overview.is_brought is 'A record of a source has brought it.';
comment on column jobrunner.secret_overview.tenant_id is 'Number of the tenant: a filter by it is found in an index.';
comment on column jobrunner.secret_overview.user_id is 'Number of the user: a filter by it is found in an index.';
