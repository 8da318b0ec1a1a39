public import Postgres
public import JobQueue

/// Where a run's pages go: the database, or a dry run that only tells what they would do.
public protocol Sink: AnyObject {
    /// Only questions may go to the source, and nothing is stored.
    var isDryRun: Bool { get }

    /// A transaction that counts in a checkpoint was tried.
    var mayHaveCommitted: Bool { get }

    /// Why the last transaction could not be written, if none could; nil when it was, or it was to blame.
    var databaseTrouble: String? { get }

    /// Remembers what a transaction met, if it would meet any other as well.
    func observe(_ error: DatabaseError)

    /// Whether something that would be sent to the source is only to be told of.
    func withholds(_ what: @autoclosure () -> String) -> Bool

    /// Writes a page and moves its checkpoint, in one transaction that proves the claim.
    ///
    /// Throws `RunEnd` or `QueueError` when the run is lost, was reset, or the deadline comes first.
    func write(_ page: PageWrite, _ statements: EntityStatements) async throws -> WrittenPage

    /// How many of the page's records are older than their rows, where it changes nothing; nil when it
    /// does, or that could not be found out.
    func olderRecords(
        ofUnchanged page: PageWrite, _ statements: EntityStatements
    ) async -> Int?

    /// Commits pages that changed nothing when a run yields before another page does; false: they are
    /// read again.
    func writeLast(_ page: PageWrite, _ statements: EntityStatements) async -> Bool

    /// Notes the end of a pass that writes nothing of its own.
    func finishPass(_ commit: PageCommit)

    /// Deletes rows of a table that have become too old; returns how many.
    func delete(_ old: Statement, of table: String) async throws -> Int

    /// Runs statements in a transaction that proves the claim, again where the database was only
    /// busy, and returns what each answered.
    ///
    /// `counts`: they count in a checkpoint.
    func run(_ statements: [Statement], counts: Bool) async throws -> [Rows]
}
