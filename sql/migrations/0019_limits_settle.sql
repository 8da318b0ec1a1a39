-- A new limit counts what claims that were under way when it was set have taken.

alter table jobrunner.limited_tenants
  add column is_settled boolean not null default false,
  add column claiming_worker_ids integer[];
comment on column jobrunner.limited_tenants.since is 'When its limit was last set.';
comment on column jobrunner.limited_tenants.is_settled is 'No claim is under way that began before the limit was set, and all running jobs of the tenant are marked as counted.';
comment on column jobrunner.limited_tenants.claiming_worker_ids is 'Until then: workers whose claim under way may have begun before; null: nobody has looked yet.';
create index limited_tenants_unsettled on jobrunner.limited_tenants (tenant_id) where not is_settled;
comment on index jobrunner.limited_tenants_unsettled is 'Limits that are new.';
