/// How the job's last run ended, and what its runs counted since the last clean state.
struct RunResult: Sendable {
    var outcome = ""
    var errorKind = ""
    var error = ""
    var fetched = 0
    var parts = 0
    var inserted = 0
    var deleted = 0
    /// Records that met a row, or another record, of their key.
    var repeated = 0
}
