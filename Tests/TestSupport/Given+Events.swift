extension Given {
    /// A run of a user told this, written now.
    public static func told(
        _ kind: String, user: some BinaryInteger, run: Int = 1, ago span: String = "0 s"
    ) -> Given {
        Given(
            """
            insert into jobrunner.events (at, tenant_id, user_id, job_name, run, kind)
            select \(ago(span)), u.tenant_id, u.id, 'some.job', \(run), '\(kind)' from jobrunner.users as u where u.id = \(user)
            """)
    }
    /// What was told and when is that much longer ago.
    public static func eventsEarlier(_ span: String) -> Given {
        update("events", "at = at - interval '\(span)'")
    }
}
