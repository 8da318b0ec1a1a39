/// What `migrate` changed; all empty when there was nothing to do.
public struct MigrationReport: Sendable, Equatable {
    /// Names of the migrations that were applied, in order.
    public var migrations: [String] = []
    /// Functions and views were put in force anew.
    public var isCodeApplied = false
    /// Functions and views that the files no longer define and that were dropped.
    public var dropped: [String] = []
    /// What was done to tables of `synced`, one sentence each.
    public var synced: [String] = []
    /// Names of the job files that were stored because they are new or changed.
    public var jobFiles: [String] = []
    /// What was not there, or not as the files have it, though it had been applied, a sentence each; it is now.
    public var mended: [String] = []
    /// The kinds of role whose group is not there, which an administrator makes: worker, operator, reader, application.
    public var lackingRoles: [String] = []

    /// Nothing was changed.
    public var isEmpty: Bool {
        migrations.isEmpty && !isCodeApplied && dropped.isEmpty && synced.isEmpty
            && jobFiles.isEmpty && mended.isEmpty
    }
}
