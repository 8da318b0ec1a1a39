create or replace view jobrunner.blocked_sources as
select t.name as tenant, s.name as source, s.blocked_until, s.block_reason as reason, s.consecutive_failures
from jobrunner.sources as s
join jobrunner.tenants as t on t.id = s.tenant_id
where s.blocked_until is not null;
comment on view jobrunner.blocked_sources is 'Which sources'' breakers are open, and why?';
comment on column jobrunner.blocked_sources.tenant is 'Name of the tenant.';
comment on column jobrunner.blocked_sources.source is 'Id of the source, or id@host where users choose its host.';
comment on column jobrunner.blocked_sources.blocked_until is 'When one request probes it again.';
comment on column jobrunner.blocked_sources.reason is 'Why.';
comment on column jobrunner.blocked_sources.consecutive_failures is 'Runs in a row that found it unavailable.';
