/// Words that nobody but their owner may come to see.
extension Given {
    /// Of a user of whom a run was made: `word` stands in every column that holds text of a source or of the user, and
    /// in a row of each table that may hold any.
    public static func marked(_ user: some BinaryInteger, with word: String) -> Given {
        Given(
            """
            update jobrunner.users set attributes = attributes || jsonb_build_object('note', '\(word)'),
              made = made || jsonb_build_object('own', '\(word)') where id = \(user);
            update jobrunner.jobs set last_outcome = 'failed', last_error_kind = 'rejected', last_error = '\(word)',
              consecutive_failures = 2, last_error_at = now() where user_id = \(user);
            update jobrunner.checkpoints set pass_kind = 'full', pass_started_at = now(), cursor = '\(word)',
              sync_token = '\(word)', partial_watermark = '\(word)', watermark = '\(word)', pass_since = '\(word)',
              last_error_kind = 'rejected', last_error = '\(word)', validator = '\(word)', probe = '\(word)',
              pass_probe = '\(word)', record_failures = jsonb_build_array(jsonb_build_object('record', '\(word)')),
              unread = jsonb_build_object('\(word)', '{}'::jsonb), skipped_since = now(), skip_reason = '\(word)',
              troubles = jsonb_build_object('edits_given_up', jsonb_build_object('error', '\(word)', 'since', now()))
            where user_id = \(user);
            insert into jobrunner.runs (user_id, id, outcome, tenant_id, job_name, scheduled_at, started_at, error_kind, error)
            select user_id, 1, 'failed', tenant_id, name, now(), now(), 'rejected', '\(word)'
            from jobrunner.jobs where user_id = \(user);
            insert into jobrunner.tenant_keys (tenant_id, id, public_key, wrapped_by)
            select tenant_id, '\\x0101010101010101', decode(repeat('01', 32), 'hex'), '\\x0101010101010101'
            from jobrunner.users where id = \(user) on conflict do nothing;
            insert into jobrunner.secrets (tenant_id, user_id, name, sealed)
            select tenant_id, id, 'token', '\\x020101010101010101'::bytea || convert_to('\(word)', 'UTF8')
            from jobrunner.users where id = \(user);
            insert into jobrunner.renewals (tenant_id, user_id, credential, access_token, good_until)
            select tenant_id, id, '\(word)', convert_to('\(word)', 'UTF8'), now() from jobrunner.users where id = \(user);
            insert into jobrunner.call_memory (user_id, job_name, call, last_succeeded_at, list_hash)
            select user_id, name, '\(word)', now(), '\(word)' from jobrunner.jobs where user_id = \(user);
            insert into jobrunner.raised_counts (user_id, tenant_id, source, field, record, arrived_at)
            select id, tenant_id, 's', 'f', '\(word)', now() from jobrunner.users where id = \(user);
            insert into jobrunner.events (tenant_id, user_id, job_name, kind, detail)
            select tenant_id, user_id, name, 'sync_began', jsonb_build_object('record', '\(word)')
            from jobrunner.jobs where user_id = \(user)
            """)
    }

    /// The keys that somebody has asked for were asked for before a span, such as "6 min".
    public static func keysAskedFor(ago span: String) -> Given {
        Given(
            """
            update jobrunner.tenant_keys set renewal_asked_at = now() - interval '\(span)'
            where renewal_asked_at is not null
            """)
    }
}
