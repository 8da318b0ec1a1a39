create or replace view jobrunner.audit_trail as
select a.id, a.at, a.login, a.role, a.person, a.verb, t.name as tenant, u.key as user_key, a.object, a.detail,
  a.tenant_id, a.user_id
from jobrunner.audit as a
left join jobrunner.tenants as t on t.id = a.tenant_id
left join jobrunner.users as u on u.id = a.user_id;
comment on view jobrunner.audit_trail is 'Who did what to whom, and when? Filter by tenant, user_key, login, verb or at, order by id.';
comment on column jobrunner.audit_trail.id is 'Number of the row.';
comment on column jobrunner.audit_trail.at is 'When its transaction began.';
comment on column jobrunner.audit_trail.login is 'Who had logged in.';
comment on column jobrunner.audit_trail.role is 'The role that the login had taken on by set role; null: none.';
comment on column jobrunner.audit_trail.person is 'Who was signed in to the pages of `jobrunner serve`, as that login says; null: the act came another way.';
comment on column jobrunner.audit_trail.verb is 'What was called, or which step of migrate it was.';
comment on column jobrunner.audit_trail.tenant is 'Name of the tenant; null: it was of no one tenant, or the tenant is gone.';
comment on column jobrunner.audit_trail.user_key is 'Key of the user; null: it was of no one user, or the user is gone.';
comment on column jobrunner.audit_trail.object is 'Of what: name of a job, a secret, a source, a login, a file.';
comment on column jobrunner.audit_trail.detail is 'What else there is to say, such as how many jobs.';
comment on column jobrunner.audit_trail.tenant_id is 'Number of the tenant, which stays.';
comment on column jobrunner.audit_trail.user_id is 'Number of the user, which stays.';
