create or replace view jobrunner.application_logins as
select t.name as tenant, a.login, a.added_at
from jobrunner.applications as a
join jobrunner.tenants as t on t.id = a.tenant_id;
comment on view jobrunner.application_logins is 'Whose application is which login of the server?';
comment on column jobrunner.application_logins.tenant is 'Name of the tenant.';
comment on column jobrunner.application_logins.login is 'The role by which the application logs in.';
comment on column jobrunner.application_logins.added_at is 'When it was added.';
