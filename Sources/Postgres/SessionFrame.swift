/// What stands around the statements of a turn behind a pooler that lends its sessions for a transaction: nothing of
/// a session lasts there, so that each transaction brings the settings it needs.
struct SessionFrame {
    /// Isolation is said by the transaction itself, which a setting in it could not change any more.
    private static let begin = Statement.unprepared("begin isolation level read committed")
    private static let setAll = """
        select pg_catalog.set_config(s.name, s.value, true) \
        from rows from (pg_catalog.unnest($1::text[]), pg_catalog.unnest($2::text[])) as s (name, value)
        """
    /// Divides by zero, which undoes the turn, where the pooler has led to a server that was replaced.
    private static let refuseReplaced = """
        select 1 / (coalesce(\(timelineOfServer), $1) >= $1)::integer
        """

    /// What a transaction begins with.
    let opening: [Statement]
    /// Which of them refuses a server that was replaced; nil while no timeline is known.
    private let refusesAt: Int?

    init(_ configuration: DatabaseConfiguration) {
        let settings = configuration.transactionSettings
        var opening = [
            Self.begin,
            Statement.unprepared(
                Self.setAll, .textArray(settings.map(\.name)), .textArray(settings.map(\.value))),
        ]
        let timeline = configuration.timelines.ofOnlyCluster
        refusesAt = timeline == nil ? nil : opening.count
        if let timeline { opening.append(.unprepared(Self.refuseReplaced, .int8(timeline))) }
        self.opening = opening
    }

    /// Whether the error says that the server was replaced.
    func isReplaced(_ error: DatabaseError) -> Bool {
        error.code == .server("22012") && error.statementIndex != nil
            && error.statementIndex == refusesAt
    }
}
