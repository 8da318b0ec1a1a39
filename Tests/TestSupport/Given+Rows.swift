extension Given {
    /// A group of the server is one of jobrunner's.
    public static func group(_ kind: String, _ name: String) -> Given {
        Given(
            """
            insert into jobrunner.roles (kind, name) values ('\(kind)', '\(name)')
            on conflict (kind) do update set name = excluded.name
            """)
    }
    /// A source has given a user's runs an access token.
    public static func accessToken(of user: Int64) -> Given {
        Given(
            """
            insert into jobrunner.renewals (tenant_id, user_id, credential, access_token, good_until)
            select u.tenant_id, u.id, 'hub', '\\x01', 'infinity' from jobrunner.users as u where u.id = \(user)
            """)
    }
    /// A trigger of a user's job waits for its event.
    public static func armed(_ event: String, of user: Int64, job: String) -> Given {
        Given(
            "insert into jobrunner.armed_triggers (user_id, job_name, event) values (\(user), '\(job)', '\(event)')"
        )
    }
    /// A user's job has told of something.
    public static func event(_ kind: String, of user: Int64, job: String) -> Given {
        Given(
            """
            insert into jobrunner.events (tenant_id, user_id, job_name, kind)
            select u.tenant_id, u.id, '\(job)', '\(kind)' from jobrunner.users as u where u.id = \(user)
            """)
    }
    /// A user has raised a number in a record.
    public static func raised(_ number: Int, in record: String, tag: String, by user: Int64)
        -> Given
    {
        Given(
            """
            insert into jobrunner.raised_counts (user_id, tenant_id, source, field, record, tag, number)
            select u.id, u.tenant_id, 'hub', 'Video.saves', '\(record)', '\(tag)', \(number)
            from jobrunner.users as u where u.id = \(user)
            """)
    }
    /// What the audit has so far was done so long before.
    public static func audited(ago span: String) -> Given {
        Given(
            """
            alter table jobrunner.audit disable trigger audit_is_only_added_to;
            update jobrunner.audit set at = at - interval '\(span)';
            alter table jobrunner.audit enable trigger audit_is_only_added_to
            """)
    }
}
