#include "CSQLFiles.h"

// Written by bin/embed: every file of sql/ stands here once, which a test holds against the folder.
// An edited file rebuilds this one.
#pragma clang diagnostic ignored "-Wc23-extensions"  // #embed, which clang knows in every standard
static const unsigned char migrations_0001_schema[] = {
#embed "migrations/0001_schema.sql"
};
static const unsigned char functions_abandon_pass[] = {
#embed "functions/abandon_pass.sql"
};
static const unsigned char functions_activate_limits[] = {
#embed "functions/activate_limits.sql"
};
static const unsigned char functions_add_counters[] = {
#embed "functions/add_counters.sql"
};
static const unsigned char functions_add_secrets[] = {
#embed "functions/add_secrets.sql"
};
static const unsigned char functions_add_tenant[] = {
#embed "functions/add_tenant.sql"
};
static const unsigned char functions_add_user[] = {
#embed "functions/add_user.sql"
};
static const unsigned char functions_add_users[] = {
#embed "functions/add_users.sql"
};
static const unsigned char functions_after_run[] = {
#embed "functions/after_run.sql"
};
static const unsigned char functions_after_secrets[] = {
#embed "functions/after_secrets.sql"
};
static const unsigned char functions_age_of_job[] = {
#embed "functions/age_of_job.sql"
};
static const unsigned char functions_awaits_secret[] = {
#embed "functions/awaits_secret.sql"
};
static const unsigned char functions_backoff[] = {
#embed "functions/backoff.sql"
};
static const unsigned char functions_begin_health_checks[] = {
#embed "functions/begin_health_checks.sql"
};
static const unsigned char functions_begin_page_anew[] = {
#embed "functions/begin_page_anew.sql"
};
static const unsigned char functions_bring_secret[] = {
#embed "functions/bring_secret.sql"
};
static const unsigned char functions_cancel_jobs[] = {
#embed "functions/cancel_jobs.sql"
};
static const unsigned char functions_changed_columns[] = {
#embed "functions/changed_columns.sql"
};
static const unsigned char functions_changed_rows[] = {
#embed "functions/changed_rows.sql"
};
static const unsigned char functions_check_list[] = {
#embed "functions/check_list.sql"
};
static const unsigned char functions_check_sealed[] = {
#embed "functions/check_sealed.sql"
};
static const unsigned char functions_claim_new[] = {
#embed "functions/claim_new.sql"
};
static const unsigned char functions_claim_of_tenants[] = {
#embed "functions/claim_of_tenants.sql"
};
static const unsigned char functions_claim_suspect[] = {
#embed "functions/claim_suspect.sql"
};
static const unsigned char functions_close_breaker[] = {
#embed "functions/close_breaker.sql"
};
static const unsigned char functions_commit_page[] = {
#embed "functions/commit_page.sql"
};
static const unsigned char functions_count_freshness[] = {
#embed "functions/count_freshness.sql"
};
static const unsigned char functions_count_swept[] = {
#embed "functions/count_swept.sql"
};
static const unsigned char functions_count_troubles[] = {
#embed "functions/count_troubles.sql"
};
static const unsigned char functions_count_waiting[] = {
#embed "functions/count_waiting.sql"
};
static const unsigned char functions_counted_on[] = {
#embed "functions/counted_on.sql"
};
static const unsigned char functions_crash_runs[] = {
#embed "functions/crash_runs.sql"
};
static const unsigned char functions_deferral[] = {
#embed "functions/deferral.sql"
};
static const unsigned char functions_delete_confirmed[] = {
#embed "functions/delete_confirmed.sql"
};
static const unsigned char functions_delete_older[] = {
#embed "functions/delete_older.sql"
};
static const unsigned char functions_delete_record[] = {
#embed "functions/delete_record.sql"
};
static const unsigned char functions_deregister_worker[] = {
#embed "functions/deregister_worker.sql"
};
static const unsigned char functions_describe_counters[] = {
#embed "functions/describe_counters.sql"
};
static const unsigned char functions_duplicates[] = {
#embed "functions/duplicates.sql"
};
static const unsigned char functions_edit_list[] = {
#embed "functions/edit_list.sql"
};
static const unsigned char functions_edit_record[] = {
#embed "functions/edit_record.sql"
};
static const unsigned char functions_end_claims[] = {
#embed "functions/end_claims.sql"
};
static const unsigned char functions_end_of[] = {
#embed "functions/end_of.sql"
};
static const unsigned char functions_end_renewal[] = {
#embed "functions/end_renewal.sql"
};
static const unsigned char functions_endless_at[] = {
#embed "functions/endless_at.sql"
};
static const unsigned char functions_endless_runs[] = {
#embed "functions/endless_runs.sql"
};
static const unsigned char functions_enqueue[] = {
#embed "functions/enqueue.sql"
};
static const unsigned char functions_enqueue_all[] = {
#embed "functions/enqueue_all.sql"
};
static const unsigned char functions_enqueue_job[] = {
#embed "functions/enqueue_job.sql"
};
static const unsigned char functions_explain_job[] = {
#embed "functions/explain_job.sql"
};
static const unsigned char functions_finish_idle_runs[] = {
#embed "functions/finish_idle_runs.sql"
};
static const unsigned char functions_finish_runs[] = {
#embed "functions/finish_runs.sql"
};
static const unsigned char functions_forget_checkpoints[] = {
#embed "functions/forget_checkpoints.sql"
};
static const unsigned char functions_forget_ended_claims[] = {
#embed "functions/forget_ended_claims.sql"
};
static const unsigned char functions_forget_entity[] = {
#embed "functions/forget_entity.sql"
};
static const unsigned char functions_give_job[] = {
#embed "functions/give_job.sql"
};
static const unsigned char functions_grant_reader[] = {
#embed "functions/grant_reader.sql"
};
static const unsigned char functions_has_other_file[] = {
#embed "functions/has_other_file.sql"
};
static const unsigned char functions_has_session[] = {
#embed "functions/has_session.sql"
};
static const unsigned char functions_has_work[] = {
#embed "functions/has_work.sql"
};
static const unsigned char functions_heartbeat_worker[] = {
#embed "functions/heartbeat_worker.sql"
};
static const unsigned char functions_held_jobs[] = {
#embed "functions/held_jobs.sql"
};
static const unsigned char functions_hold_job[] = {
#embed "functions/hold_job.sql"
};
static const unsigned char functions_hold_secrets[] = {
#embed "functions/hold_secrets.sql"
};
static const unsigned char functions_hold_worker[] = {
#embed "functions/hold_worker.sql"
};
static const unsigned char functions_insert_jobs[] = {
#embed "functions/insert_jobs.sql"
};
static const unsigned char functions_insert_record[] = {
#embed "functions/insert_record.sql"
};
static const unsigned char functions_is_fruitless[] = {
#embed "functions/is_fruitless.sql"
};
static const unsigned char functions_job_named[] = {
#embed "functions/job_named.sql"
};
static const unsigned char functions_jobs_named[] = {
#embed "functions/jobs_named.sql"
};
static const unsigned char functions_judge_edits[] = {
#embed "functions/judge_edits.sql"
};
static const unsigned char functions_keep_edit[] = {
#embed "functions/keep_edit.sql"
};
static const unsigned char functions_keep_limited_tenants[] = {
#embed "functions/keep_limited_tenants.sql"
};
static const unsigned char functions_keeps_edits[] = {
#embed "functions/keeps_edits.sql"
};
static const unsigned char functions_key_hash[] = {
#embed "functions/key_hash.sql"
};
static const unsigned char functions_lacking_rows[] = {
#embed "functions/lacking_rows.sql"
};
static const unsigned char functions_last_tick[] = {
#embed "functions/last_tick.sql"
};
static const unsigned char functions_lease_credential[] = {
#embed "functions/lease_credential.sql"
};
static const unsigned char functions_lift_quarantines[] = {
#embed "functions/lift_quarantines.sql"
};
static const unsigned char functions_list_items[] = {
#embed "functions/list_items.sql"
};
static const unsigned char functions_live_filter[] = {
#embed "functions/live_filter.sql"
};
static const unsigned char functions_lock_ends[] = {
#embed "functions/lock_ends.sql"
};
static const unsigned char functions_longest_input[] = {
#embed "functions/longest_input.sql"
};
static const unsigned char functions_look_again[] = {
#embed "functions/look_again.sql"
};
static const unsigned char functions_look_at_tenants[] = {
#embed "functions/look_at_tenants.sql"
};
static const unsigned char functions_look_due[] = {
#embed "functions/look_due.sql"
};
static const unsigned char functions_look_for_survivors[] = {
#embed "functions/look_for_survivors.sql"
};
static const unsigned char functions_lose_edits[] = {
#embed "functions/lose_edits.sql"
};
static const unsigned char functions_maintain_runs[] = {
#embed "functions/maintain_runs.sql"
};
static const unsigned char functions_make_attribute[] = {
#embed "functions/make_attribute.sql"
};
static const unsigned char functions_make_counters[] = {
#embed "functions/make_counters.sql"
};
static const unsigned char functions_make_jobs[] = {
#embed "functions/make_jobs.sql"
};
static const unsigned char functions_make_lacking_jobs[] = {
#embed "functions/make_lacking_jobs.sql"
};
static const unsigned char functions_mark_counts_raised[] = {
#embed "functions/mark_counts_raised.sql"
};
static const unsigned char functions_mark_items_sent[] = {
#embed "functions/mark_items_sent.sql"
};
static const unsigned char functions_mark_seen[] = {
#embed "functions/mark_seen.sql"
};
static const unsigned char functions_mend_restored[] = {
#embed "functions/mend_restored.sql"
};
static const unsigned char functions_mend_sequences[] = {
#embed "functions/mend_sequences.sql"
};
static const unsigned char functions_merge_duplicates[] = {
#embed "functions/merge_duplicates.sql"
};
static const unsigned char functions_merge_filter[] = {
#embed "functions/merge_filter.sql"
};
static const unsigned char functions_merge_writes[] = {
#embed "functions/merge_writes.sql"
};
static const unsigned char functions_news_for_workers[] = {
#embed "functions/news_for_workers.sql"
};
static const unsigned char functions_next_tick[] = {
#embed "functions/next_tick.sql"
};
static const unsigned char functions_note_shared_keys[] = {
#embed "functions/note_shared_keys.sql"
};
static const unsigned char functions_notify[] = {
#embed "functions/notify.sql"
};
static const unsigned char functions_notify_changes[] = {
#embed "functions/notify_changes.sql"
};
static const unsigned char functions_other_files[] = {
#embed "functions/other_files.sql"
};
static const unsigned char functions_own_session[] = {
#embed "functions/own_session.sql"
};
static const unsigned char functions_own_writes[] = {
#embed "functions/own_writes.sql"
};
static const unsigned char functions_pause_job_file[] = {
#embed "functions/pause_job_file.sql"
};
static const unsigned char functions_pause_jobs[] = {
#embed "functions/pause_jobs.sql"
};
static const unsigned char functions_period_of[] = {
#embed "functions/period_of.sql"
};
static const unsigned char functions_phase_of[] = {
#embed "functions/phase_of.sql"
};
static const unsigned char functions_postpone_slowing[] = {
#embed "functions/postpone_slowing.sql"
};
static const unsigned char functions_preload_runs[] = {
#embed "functions/preload_runs.sql"
};
static const unsigned char functions_push_soon[] = {
#embed "functions/push_soon.sql"
};
static const unsigned char functions_quarantine_of[] = {
#embed "functions/quarantine_of.sql"
};
static const unsigned char functions_raise_counts[] = {
#embed "functions/raise_counts.sql"
};
static const unsigned char functions_read_job[] = {
#embed "functions/read_job.sql"
};
static const unsigned char functions_reap_jobs[] = {
#embed "functions/reap_jobs.sql"
};
static const unsigned char functions_reap_worker[] = {
#embed "functions/reap_worker.sql"
};
static const unsigned char functions_reattach_worker[] = {
#embed "functions/reattach_worker.sql"
};
static const unsigned char functions_reconcile_jobs[] = {
#embed "functions/reconcile_jobs.sql"
};
static const unsigned char functions_record_call[] = {
#embed "functions/record_call.sql"
};
static const unsigned char functions_record_like[] = {
#embed "functions/record_like.sql"
};
static const unsigned char functions_record_where[] = {
#embed "functions/record_where.sql"
};
static const unsigned char functions_refuse_lost_edit[] = {
#embed "functions/refuse_lost_edit.sql"
};
static const unsigned char functions_refuse_unstamped[] = {
#embed "functions/refuse_unstamped.sql"
};
static const unsigned char functions_register_worker[] = {
#embed "functions/register_worker.sql"
};
static const unsigned char functions_release_jobs[] = {
#embed "functions/release_jobs.sql"
};
static const unsigned char functions_release_orphans[] = {
#embed "functions/release_orphans.sql"
};
static const unsigned char functions_remaining_capacity[] = {
#embed "functions/remaining_capacity.sql"
};
static const unsigned char functions_remove_tenant[] = {
#embed "functions/remove_tenant.sql"
};
static const unsigned char functions_remove_user[] = {
#embed "functions/remove_user.sql"
};
static const unsigned char functions_remove_users[] = {
#embed "functions/remove_users.sql"
};
static const unsigned char functions_repair_due_times[] = {
#embed "functions/repair_due_times.sql"
};
static const unsigned char functions_repair_jobs[] = {
#embed "functions/repair_jobs.sql"
};
static const unsigned char functions_replace_list[] = {
#embed "functions/replace_list.sql"
};
static const unsigned char functions_report_sources[] = {
#embed "functions/report_sources.sql"
};
static const unsigned char functions_request_full[] = {
#embed "functions/request_full.sql"
};
static const unsigned char functions_request_full_after_removal[] = {
#embed "functions/request_full_after_removal.sql"
};
static const unsigned char functions_reset_jobs[] = {
#embed "functions/reset_jobs.sql"
};
static const unsigned char functions_restricted_tenants[] = {
#embed "functions/restricted_tenants.sql"
};
static const unsigned char functions_resume_job_file[] = {
#embed "functions/resume_job_file.sql"
};
static const unsigned char functions_resume_jobs[] = {
#embed "functions/resume_jobs.sql"
};
static const unsigned char functions_retry_jobs[] = {
#embed "functions/retry_jobs.sql"
};
static const unsigned char functions_rotate_secret[] = {
#embed "functions/rotate_secret.sql"
};
static const unsigned char functions_run_inputs[] = {
#embed "functions/run_inputs.sql"
};
static const unsigned char functions_run_totals[] = {
#embed "functions/run_totals.sql"
};
static const unsigned char functions_running_of_tenant[] = {
#embed "functions/running_of_tenant.sql"
};
static const unsigned char functions_save_record[] = {
#embed "functions/save_record.sql"
};
static const unsigned char functions_schedule_jobs[] = {
#embed "functions/schedule_jobs.sql"
};
static const unsigned char functions_schedule_next_jobs[] = {
#embed "functions/schedule_next_jobs.sql"
};
static const unsigned char functions_sealed_secrets[] = {
#embed "functions/sealed_secrets.sql"
};
static const unsigned char functions_send_again[] = {
#embed "functions/send_again.sql"
};
static const unsigned char functions_session_figures[] = {
#embed "functions/session_figures.sql"
};
static const unsigned char functions_set_period[] = {
#embed "functions/set_period.sql"
};
static const unsigned char functions_set_secret[] = {
#embed "functions/set_secret.sql"
};
static const unsigned char functions_set_source[] = {
#embed "functions/set_source.sql"
};
static const unsigned char functions_set_tenant[] = {
#embed "functions/set_tenant.sql"
};
static const unsigned char functions_set_trouble[] = {
#embed "functions/set_trouble.sql"
};
static const unsigned char functions_set_user[] = {
#embed "functions/set_user.sql"
};
static const unsigned char functions_slow_jobs[] = {
#embed "functions/slow_jobs.sql"
};
static const unsigned char functions_source_named[] = {
#embed "functions/source_named.sql"
};
static const unsigned char functions_stamps_of_edit[] = {
#embed "functions/stamps_of_edit.sql"
};
static const unsigned char functions_stand_for_tenant[] = {
#embed "functions/stand_for_tenant.sql"
};
static const unsigned char functions_status_of[] = {
#embed "functions/status_of.sql"
};
static const unsigned char functions_stop_requests[] = {
#embed "functions/stop_requests.sql"
};
static const unsigned char functions_store_calls[] = {
#embed "functions/store_calls.sql"
};
static const unsigned char functions_store_ended_passes[] = {
#embed "functions/store_ended_passes.sql"
};
static const unsigned char functions_store_entity_failures[] = {
#embed "functions/store_entity_failures.sql"
};
static const unsigned char functions_store_job_file[] = {
#embed "functions/store_job_file.sql"
};
static const unsigned char functions_store_push_counters[] = {
#embed "functions/store_push_counters.sql"
};
static const unsigned char functions_store_record_failures[] = {
#embed "functions/store_record_failures.sql"
};
static const unsigned char functions_store_secret[] = {
#embed "functions/store_secret.sql"
};
static const unsigned char functions_store_slot_use[] = {
#embed "functions/store_slot_use.sql"
};
static const unsigned char functions_store_unread_values[] = {
#embed "functions/store_unread_values.sql"
};
static const unsigned char functions_sweep_statement[] = {
#embed "functions/sweep_statement.sql"
};
static const unsigned char functions_sweep_table[] = {
#embed "functions/sweep_table.sql"
};
static const unsigned char functions_take_budget[] = {
#embed "functions/take_budget.sql"
};
static const unsigned char functions_take_chore[] = {
#embed "functions/take_chore.sql"
};
static const unsigned char functions_take_dead_record[] = {
#embed "functions/take_dead_record.sql"
};
static const unsigned char functions_take_job[] = {
#embed "functions/take_job.sql"
};
static const unsigned char functions_take_jobs[] = {
#embed "functions/take_jobs.sql"
};
static const unsigned char functions_tell_conflicts[] = {
#embed "functions/tell_conflicts.sql"
};
static const unsigned char functions_tell_duplicates[] = {
#embed "functions/tell_duplicates.sql"
};
static const unsigned char functions_tell_events[] = {
#embed "functions/tell_events.sql"
};
static const unsigned char functions_tell_of_run[] = {
#embed "functions/tell_of_run.sql"
};
static const unsigned char functions_tells_of[] = {
#embed "functions/tells_of.sql"
};
static const unsigned char functions_tenant_named[] = {
#embed "functions/tenant_named.sql"
};
static const unsigned char functions_tenant_user[] = {
#embed "functions/tenant_user.sql"
};
static const unsigned char functions_tick_after_run[] = {
#embed "functions/tick_after_run.sql"
};
static const unsigned char functions_total[] = {
#embed "functions/total.sql"
};
static const unsigned char functions_trigger_event[] = {
#embed "functions/trigger_event.sql"
};
static const unsigned char functions_unraised_counts[] = {
#embed "functions/unraised_counts.sql"
};
static const unsigned char functions_unsuitable_values[] = {
#embed "functions/unsuitable_values.sql"
};
static const unsigned char functions_user_named[] = {
#embed "functions/user_named.sql"
};
static const unsigned char functions_wake_workers[] = {
#embed "functions/wake_workers.sql"
};
static const unsigned char functions_want_fresh[] = {
#embed "functions/want_fresh.sql"
};
static const unsigned char functions_watch_table[] = {
#embed "functions/watch_table.sql"
};
static const unsigned char functions_why_of_job[] = {
#embed "functions/why_of_job.sql"
};
static const unsigned char functions_without_paused[] = {
#embed "functions/without_paused.sql"
};
static const unsigned char functions_words_for[] = {
#embed "functions/words_for.sql"
};
static const unsigned char functions_writable_table[] = {
#embed "functions/writable_table.sql"
};
static const unsigned char views_blocked_sources[] = {
#embed "views/blocked_sources.sql"
};
static const unsigned char views_entity_progress[] = {
#embed "views/entity_progress.sql"
};
static const unsigned char views_failing_jobs[] = {
#embed "views/failing_jobs.sql"
};
static const unsigned char views_gauges[] = {
#embed "views/gauges.sql"
};
static const unsigned char views_job_overview[] = {
#embed "views/job_overview.sql"
};
static const unsigned char views_jobs_in_trouble[] = {
#embed "views/jobs_in_trouble.sql"
};
static const unsigned char views_kinds_of_trouble[] = {
#embed "views/kinds_of_trouble.sql"
};
static const unsigned char views_late_jobs[] = {
#embed "views/late_jobs.sql"
};
static const unsigned char views_quarantined_jobs[] = {
#embed "views/quarantined_jobs.sql"
};
static const unsigned char views_raised_alerts[] = {
#embed "views/raised_alerts.sql"
};
static const unsigned char views_running_jobs[] = {
#embed "views/running_jobs.sql"
};
static const unsigned char views_tenant_freshness[] = {
#embed "views/tenant_freshness.sql"
};
static const unsigned char views_tenant_shares[] = {
#embed "views/tenant_shares.sql"
};
static const unsigned char views_told_events[] = {
#embed "views/told_events.sql"
};
static const unsigned char views_user_story[] = {
#embed "views/user_story.sql"
};
static const unsigned char views_waiting_reasons[] = {
#embed "views/waiting_reasons.sql"
};
static const unsigned char views_worker_health[] = {
#embed "views/worker_health.sql"
};

static const jr_sql_file files[] = {
    {"migrations/0001_schema.sql", migrations_0001_schema, sizeof migrations_0001_schema},
    {"functions/abandon_pass.sql", functions_abandon_pass, sizeof functions_abandon_pass},
    {"functions/activate_limits.sql", functions_activate_limits, sizeof functions_activate_limits},
    {"functions/add_counters.sql", functions_add_counters, sizeof functions_add_counters},
    {"functions/add_secrets.sql", functions_add_secrets, sizeof functions_add_secrets},
    {"functions/add_tenant.sql", functions_add_tenant, sizeof functions_add_tenant},
    {"functions/add_user.sql", functions_add_user, sizeof functions_add_user},
    {"functions/add_users.sql", functions_add_users, sizeof functions_add_users},
    {"functions/after_run.sql", functions_after_run, sizeof functions_after_run},
    {"functions/after_secrets.sql", functions_after_secrets, sizeof functions_after_secrets},
    {"functions/age_of_job.sql", functions_age_of_job, sizeof functions_age_of_job},
    {"functions/awaits_secret.sql", functions_awaits_secret, sizeof functions_awaits_secret},
    {"functions/backoff.sql", functions_backoff, sizeof functions_backoff},
    {"functions/begin_health_checks.sql", functions_begin_health_checks, sizeof functions_begin_health_checks},
    {"functions/begin_page_anew.sql", functions_begin_page_anew, sizeof functions_begin_page_anew},
    {"functions/bring_secret.sql", functions_bring_secret, sizeof functions_bring_secret},
    {"functions/cancel_jobs.sql", functions_cancel_jobs, sizeof functions_cancel_jobs},
    {"functions/changed_columns.sql", functions_changed_columns, sizeof functions_changed_columns},
    {"functions/changed_rows.sql", functions_changed_rows, sizeof functions_changed_rows},
    {"functions/check_list.sql", functions_check_list, sizeof functions_check_list},
    {"functions/check_sealed.sql", functions_check_sealed, sizeof functions_check_sealed},
    {"functions/claim_new.sql", functions_claim_new, sizeof functions_claim_new},
    {"functions/claim_of_tenants.sql", functions_claim_of_tenants, sizeof functions_claim_of_tenants},
    {"functions/claim_suspect.sql", functions_claim_suspect, sizeof functions_claim_suspect},
    {"functions/close_breaker.sql", functions_close_breaker, sizeof functions_close_breaker},
    {"functions/commit_page.sql", functions_commit_page, sizeof functions_commit_page},
    {"functions/count_freshness.sql", functions_count_freshness, sizeof functions_count_freshness},
    {"functions/count_swept.sql", functions_count_swept, sizeof functions_count_swept},
    {"functions/count_troubles.sql", functions_count_troubles, sizeof functions_count_troubles},
    {"functions/count_waiting.sql", functions_count_waiting, sizeof functions_count_waiting},
    {"functions/counted_on.sql", functions_counted_on, sizeof functions_counted_on},
    {"functions/crash_runs.sql", functions_crash_runs, sizeof functions_crash_runs},
    {"functions/deferral.sql", functions_deferral, sizeof functions_deferral},
    {"functions/delete_confirmed.sql", functions_delete_confirmed, sizeof functions_delete_confirmed},
    {"functions/delete_older.sql", functions_delete_older, sizeof functions_delete_older},
    {"functions/delete_record.sql", functions_delete_record, sizeof functions_delete_record},
    {"functions/deregister_worker.sql", functions_deregister_worker, sizeof functions_deregister_worker},
    {"functions/describe_counters.sql", functions_describe_counters, sizeof functions_describe_counters},
    {"functions/duplicates.sql", functions_duplicates, sizeof functions_duplicates},
    {"functions/edit_list.sql", functions_edit_list, sizeof functions_edit_list},
    {"functions/edit_record.sql", functions_edit_record, sizeof functions_edit_record},
    {"functions/end_claims.sql", functions_end_claims, sizeof functions_end_claims},
    {"functions/end_of.sql", functions_end_of, sizeof functions_end_of},
    {"functions/end_renewal.sql", functions_end_renewal, sizeof functions_end_renewal},
    {"functions/endless_at.sql", functions_endless_at, sizeof functions_endless_at},
    {"functions/endless_runs.sql", functions_endless_runs, sizeof functions_endless_runs},
    {"functions/enqueue.sql", functions_enqueue, sizeof functions_enqueue},
    {"functions/enqueue_all.sql", functions_enqueue_all, sizeof functions_enqueue_all},
    {"functions/enqueue_job.sql", functions_enqueue_job, sizeof functions_enqueue_job},
    {"functions/explain_job.sql", functions_explain_job, sizeof functions_explain_job},
    {"functions/finish_idle_runs.sql", functions_finish_idle_runs, sizeof functions_finish_idle_runs},
    {"functions/finish_runs.sql", functions_finish_runs, sizeof functions_finish_runs},
    {"functions/forget_checkpoints.sql", functions_forget_checkpoints, sizeof functions_forget_checkpoints},
    {"functions/forget_ended_claims.sql", functions_forget_ended_claims, sizeof functions_forget_ended_claims},
    {"functions/forget_entity.sql", functions_forget_entity, sizeof functions_forget_entity},
    {"functions/give_job.sql", functions_give_job, sizeof functions_give_job},
    {"functions/grant_reader.sql", functions_grant_reader, sizeof functions_grant_reader},
    {"functions/has_other_file.sql", functions_has_other_file, sizeof functions_has_other_file},
    {"functions/has_session.sql", functions_has_session, sizeof functions_has_session},
    {"functions/has_work.sql", functions_has_work, sizeof functions_has_work},
    {"functions/heartbeat_worker.sql", functions_heartbeat_worker, sizeof functions_heartbeat_worker},
    {"functions/held_jobs.sql", functions_held_jobs, sizeof functions_held_jobs},
    {"functions/hold_job.sql", functions_hold_job, sizeof functions_hold_job},
    {"functions/hold_secrets.sql", functions_hold_secrets, sizeof functions_hold_secrets},
    {"functions/hold_worker.sql", functions_hold_worker, sizeof functions_hold_worker},
    {"functions/insert_jobs.sql", functions_insert_jobs, sizeof functions_insert_jobs},
    {"functions/insert_record.sql", functions_insert_record, sizeof functions_insert_record},
    {"functions/is_fruitless.sql", functions_is_fruitless, sizeof functions_is_fruitless},
    {"functions/job_named.sql", functions_job_named, sizeof functions_job_named},
    {"functions/jobs_named.sql", functions_jobs_named, sizeof functions_jobs_named},
    {"functions/judge_edits.sql", functions_judge_edits, sizeof functions_judge_edits},
    {"functions/keep_edit.sql", functions_keep_edit, sizeof functions_keep_edit},
    {"functions/keep_limited_tenants.sql", functions_keep_limited_tenants, sizeof functions_keep_limited_tenants},
    {"functions/keeps_edits.sql", functions_keeps_edits, sizeof functions_keeps_edits},
    {"functions/key_hash.sql", functions_key_hash, sizeof functions_key_hash},
    {"functions/lacking_rows.sql", functions_lacking_rows, sizeof functions_lacking_rows},
    {"functions/last_tick.sql", functions_last_tick, sizeof functions_last_tick},
    {"functions/lease_credential.sql", functions_lease_credential, sizeof functions_lease_credential},
    {"functions/lift_quarantines.sql", functions_lift_quarantines, sizeof functions_lift_quarantines},
    {"functions/list_items.sql", functions_list_items, sizeof functions_list_items},
    {"functions/live_filter.sql", functions_live_filter, sizeof functions_live_filter},
    {"functions/lock_ends.sql", functions_lock_ends, sizeof functions_lock_ends},
    {"functions/longest_input.sql", functions_longest_input, sizeof functions_longest_input},
    {"functions/look_again.sql", functions_look_again, sizeof functions_look_again},
    {"functions/look_at_tenants.sql", functions_look_at_tenants, sizeof functions_look_at_tenants},
    {"functions/look_due.sql", functions_look_due, sizeof functions_look_due},
    {"functions/look_for_survivors.sql", functions_look_for_survivors, sizeof functions_look_for_survivors},
    {"functions/lose_edits.sql", functions_lose_edits, sizeof functions_lose_edits},
    {"functions/maintain_runs.sql", functions_maintain_runs, sizeof functions_maintain_runs},
    {"functions/make_attribute.sql", functions_make_attribute, sizeof functions_make_attribute},
    {"functions/make_counters.sql", functions_make_counters, sizeof functions_make_counters},
    {"functions/make_jobs.sql", functions_make_jobs, sizeof functions_make_jobs},
    {"functions/make_lacking_jobs.sql", functions_make_lacking_jobs, sizeof functions_make_lacking_jobs},
    {"functions/mark_counts_raised.sql", functions_mark_counts_raised, sizeof functions_mark_counts_raised},
    {"functions/mark_items_sent.sql", functions_mark_items_sent, sizeof functions_mark_items_sent},
    {"functions/mark_seen.sql", functions_mark_seen, sizeof functions_mark_seen},
    {"functions/mend_restored.sql", functions_mend_restored, sizeof functions_mend_restored},
    {"functions/mend_sequences.sql", functions_mend_sequences, sizeof functions_mend_sequences},
    {"functions/merge_duplicates.sql", functions_merge_duplicates, sizeof functions_merge_duplicates},
    {"functions/merge_filter.sql", functions_merge_filter, sizeof functions_merge_filter},
    {"functions/merge_writes.sql", functions_merge_writes, sizeof functions_merge_writes},
    {"functions/news_for_workers.sql", functions_news_for_workers, sizeof functions_news_for_workers},
    {"functions/next_tick.sql", functions_next_tick, sizeof functions_next_tick},
    {"functions/note_shared_keys.sql", functions_note_shared_keys, sizeof functions_note_shared_keys},
    {"functions/notify.sql", functions_notify, sizeof functions_notify},
    {"functions/notify_changes.sql", functions_notify_changes, sizeof functions_notify_changes},
    {"functions/other_files.sql", functions_other_files, sizeof functions_other_files},
    {"functions/own_session.sql", functions_own_session, sizeof functions_own_session},
    {"functions/own_writes.sql", functions_own_writes, sizeof functions_own_writes},
    {"functions/pause_job_file.sql", functions_pause_job_file, sizeof functions_pause_job_file},
    {"functions/pause_jobs.sql", functions_pause_jobs, sizeof functions_pause_jobs},
    {"functions/period_of.sql", functions_period_of, sizeof functions_period_of},
    {"functions/phase_of.sql", functions_phase_of, sizeof functions_phase_of},
    {"functions/postpone_slowing.sql", functions_postpone_slowing, sizeof functions_postpone_slowing},
    {"functions/preload_runs.sql", functions_preload_runs, sizeof functions_preload_runs},
    {"functions/push_soon.sql", functions_push_soon, sizeof functions_push_soon},
    {"functions/quarantine_of.sql", functions_quarantine_of, sizeof functions_quarantine_of},
    {"functions/raise_counts.sql", functions_raise_counts, sizeof functions_raise_counts},
    {"functions/read_job.sql", functions_read_job, sizeof functions_read_job},
    {"functions/reap_jobs.sql", functions_reap_jobs, sizeof functions_reap_jobs},
    {"functions/reap_worker.sql", functions_reap_worker, sizeof functions_reap_worker},
    {"functions/reattach_worker.sql", functions_reattach_worker, sizeof functions_reattach_worker},
    {"functions/reconcile_jobs.sql", functions_reconcile_jobs, sizeof functions_reconcile_jobs},
    {"functions/record_call.sql", functions_record_call, sizeof functions_record_call},
    {"functions/record_like.sql", functions_record_like, sizeof functions_record_like},
    {"functions/record_where.sql", functions_record_where, sizeof functions_record_where},
    {"functions/refuse_lost_edit.sql", functions_refuse_lost_edit, sizeof functions_refuse_lost_edit},
    {"functions/refuse_unstamped.sql", functions_refuse_unstamped, sizeof functions_refuse_unstamped},
    {"functions/register_worker.sql", functions_register_worker, sizeof functions_register_worker},
    {"functions/release_jobs.sql", functions_release_jobs, sizeof functions_release_jobs},
    {"functions/release_orphans.sql", functions_release_orphans, sizeof functions_release_orphans},
    {"functions/remaining_capacity.sql", functions_remaining_capacity, sizeof functions_remaining_capacity},
    {"functions/remove_tenant.sql", functions_remove_tenant, sizeof functions_remove_tenant},
    {"functions/remove_user.sql", functions_remove_user, sizeof functions_remove_user},
    {"functions/remove_users.sql", functions_remove_users, sizeof functions_remove_users},
    {"functions/repair_due_times.sql", functions_repair_due_times, sizeof functions_repair_due_times},
    {"functions/repair_jobs.sql", functions_repair_jobs, sizeof functions_repair_jobs},
    {"functions/replace_list.sql", functions_replace_list, sizeof functions_replace_list},
    {"functions/report_sources.sql", functions_report_sources, sizeof functions_report_sources},
    {"functions/request_full.sql", functions_request_full, sizeof functions_request_full},
    {"functions/request_full_after_removal.sql", functions_request_full_after_removal, sizeof functions_request_full_after_removal},
    {"functions/reset_jobs.sql", functions_reset_jobs, sizeof functions_reset_jobs},
    {"functions/restricted_tenants.sql", functions_restricted_tenants, sizeof functions_restricted_tenants},
    {"functions/resume_job_file.sql", functions_resume_job_file, sizeof functions_resume_job_file},
    {"functions/resume_jobs.sql", functions_resume_jobs, sizeof functions_resume_jobs},
    {"functions/retry_jobs.sql", functions_retry_jobs, sizeof functions_retry_jobs},
    {"functions/rotate_secret.sql", functions_rotate_secret, sizeof functions_rotate_secret},
    {"functions/run_inputs.sql", functions_run_inputs, sizeof functions_run_inputs},
    {"functions/run_totals.sql", functions_run_totals, sizeof functions_run_totals},
    {"functions/running_of_tenant.sql", functions_running_of_tenant, sizeof functions_running_of_tenant},
    {"functions/save_record.sql", functions_save_record, sizeof functions_save_record},
    {"functions/schedule_jobs.sql", functions_schedule_jobs, sizeof functions_schedule_jobs},
    {"functions/schedule_next_jobs.sql", functions_schedule_next_jobs, sizeof functions_schedule_next_jobs},
    {"functions/sealed_secrets.sql", functions_sealed_secrets, sizeof functions_sealed_secrets},
    {"functions/send_again.sql", functions_send_again, sizeof functions_send_again},
    {"functions/session_figures.sql", functions_session_figures, sizeof functions_session_figures},
    {"functions/set_period.sql", functions_set_period, sizeof functions_set_period},
    {"functions/set_secret.sql", functions_set_secret, sizeof functions_set_secret},
    {"functions/set_source.sql", functions_set_source, sizeof functions_set_source},
    {"functions/set_tenant.sql", functions_set_tenant, sizeof functions_set_tenant},
    {"functions/set_trouble.sql", functions_set_trouble, sizeof functions_set_trouble},
    {"functions/set_user.sql", functions_set_user, sizeof functions_set_user},
    {"functions/slow_jobs.sql", functions_slow_jobs, sizeof functions_slow_jobs},
    {"functions/source_named.sql", functions_source_named, sizeof functions_source_named},
    {"functions/stamps_of_edit.sql", functions_stamps_of_edit, sizeof functions_stamps_of_edit},
    {"functions/stand_for_tenant.sql", functions_stand_for_tenant, sizeof functions_stand_for_tenant},
    {"functions/status_of.sql", functions_status_of, sizeof functions_status_of},
    {"functions/stop_requests.sql", functions_stop_requests, sizeof functions_stop_requests},
    {"functions/store_calls.sql", functions_store_calls, sizeof functions_store_calls},
    {"functions/store_ended_passes.sql", functions_store_ended_passes, sizeof functions_store_ended_passes},
    {"functions/store_entity_failures.sql", functions_store_entity_failures, sizeof functions_store_entity_failures},
    {"functions/store_job_file.sql", functions_store_job_file, sizeof functions_store_job_file},
    {"functions/store_push_counters.sql", functions_store_push_counters, sizeof functions_store_push_counters},
    {"functions/store_record_failures.sql", functions_store_record_failures, sizeof functions_store_record_failures},
    {"functions/store_secret.sql", functions_store_secret, sizeof functions_store_secret},
    {"functions/store_slot_use.sql", functions_store_slot_use, sizeof functions_store_slot_use},
    {"functions/store_unread_values.sql", functions_store_unread_values, sizeof functions_store_unread_values},
    {"functions/sweep_statement.sql", functions_sweep_statement, sizeof functions_sweep_statement},
    {"functions/sweep_table.sql", functions_sweep_table, sizeof functions_sweep_table},
    {"functions/take_budget.sql", functions_take_budget, sizeof functions_take_budget},
    {"functions/take_chore.sql", functions_take_chore, sizeof functions_take_chore},
    {"functions/take_dead_record.sql", functions_take_dead_record, sizeof functions_take_dead_record},
    {"functions/take_job.sql", functions_take_job, sizeof functions_take_job},
    {"functions/take_jobs.sql", functions_take_jobs, sizeof functions_take_jobs},
    {"functions/tell_conflicts.sql", functions_tell_conflicts, sizeof functions_tell_conflicts},
    {"functions/tell_duplicates.sql", functions_tell_duplicates, sizeof functions_tell_duplicates},
    {"functions/tell_events.sql", functions_tell_events, sizeof functions_tell_events},
    {"functions/tell_of_run.sql", functions_tell_of_run, sizeof functions_tell_of_run},
    {"functions/tells_of.sql", functions_tells_of, sizeof functions_tells_of},
    {"functions/tenant_named.sql", functions_tenant_named, sizeof functions_tenant_named},
    {"functions/tenant_user.sql", functions_tenant_user, sizeof functions_tenant_user},
    {"functions/tick_after_run.sql", functions_tick_after_run, sizeof functions_tick_after_run},
    {"functions/total.sql", functions_total, sizeof functions_total},
    {"functions/trigger_event.sql", functions_trigger_event, sizeof functions_trigger_event},
    {"functions/unraised_counts.sql", functions_unraised_counts, sizeof functions_unraised_counts},
    {"functions/unsuitable_values.sql", functions_unsuitable_values, sizeof functions_unsuitable_values},
    {"functions/user_named.sql", functions_user_named, sizeof functions_user_named},
    {"functions/wake_workers.sql", functions_wake_workers, sizeof functions_wake_workers},
    {"functions/want_fresh.sql", functions_want_fresh, sizeof functions_want_fresh},
    {"functions/watch_table.sql", functions_watch_table, sizeof functions_watch_table},
    {"functions/why_of_job.sql", functions_why_of_job, sizeof functions_why_of_job},
    {"functions/without_paused.sql", functions_without_paused, sizeof functions_without_paused},
    {"functions/words_for.sql", functions_words_for, sizeof functions_words_for},
    {"functions/writable_table.sql", functions_writable_table, sizeof functions_writable_table},
    {"views/blocked_sources.sql", views_blocked_sources, sizeof views_blocked_sources},
    {"views/entity_progress.sql", views_entity_progress, sizeof views_entity_progress},
    {"views/failing_jobs.sql", views_failing_jobs, sizeof views_failing_jobs},
    {"views/gauges.sql", views_gauges, sizeof views_gauges},
    {"views/job_overview.sql", views_job_overview, sizeof views_job_overview},
    {"views/jobs_in_trouble.sql", views_jobs_in_trouble, sizeof views_jobs_in_trouble},
    {"views/kinds_of_trouble.sql", views_kinds_of_trouble, sizeof views_kinds_of_trouble},
    {"views/late_jobs.sql", views_late_jobs, sizeof views_late_jobs},
    {"views/quarantined_jobs.sql", views_quarantined_jobs, sizeof views_quarantined_jobs},
    {"views/raised_alerts.sql", views_raised_alerts, sizeof views_raised_alerts},
    {"views/running_jobs.sql", views_running_jobs, sizeof views_running_jobs},
    {"views/tenant_freshness.sql", views_tenant_freshness, sizeof views_tenant_freshness},
    {"views/tenant_shares.sql", views_tenant_shares, sizeof views_tenant_shares},
    {"views/told_events.sql", views_told_events, sizeof views_told_events},
    {"views/user_story.sql", views_user_story, sizeof views_user_story},
    {"views/waiting_reasons.sql", views_waiting_reasons, sizeof views_waiting_reasons},
    {"views/worker_health.sql", views_worker_health, sizeof views_worker_health},
};

size_t jr_sql_file_count(void) { return sizeof files / sizeof files[0]; }

const jr_sql_file *jr_sql_file_at(size_t index) {
    return index < jr_sql_file_count() ? &files[index] : NULL;
}
