-- concurrently
-- Tells by one look whether any source is in trouble.

drop index concurrently if exists jobrunner.sources_troubled;
create index concurrently sources_troubled on jobrunner.sources (tenant_id, name)
where consecutive_failures > 0 or blocked_until is not null;
comment on index jobrunner.sources_troubled is 'Sources that runs have found unavailable lately.';
