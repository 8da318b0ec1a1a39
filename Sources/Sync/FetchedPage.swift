import Basics
import HTTP
import JobFiles
import JobQueue
import Reading

/// One page as it came: records to write, and where the pass goes on.
struct FetchedPage {
    @Boxed var batch: RecordBatch
    var next: NextPosition
    /// The source said that nothing has changed since the last pass (304).
    var isUnmodified = false
    /// Stands for the records it shows, where the source might show the same ones again and again.
    var keys: Int?
    /// Count the page among what this worker holds.
    var holds: [BodyHold] = []
}

/// What became of asking for a page.
enum Fetched {
    case page(FetchedPage)
    /// The source says that it failed, and the run ends so. What the answer carries is stored, but proves nothing.
    case failing(FetchedPage, RunEnd)
    /// A rule of the file says that the source has nothing to read for this user, for the reason.
    case skipped(String)
    /// A recovery has the pass begin again and read everything.
    case beginAnew
    /// The source has refused the position, and the pass can go on from the newest that it has stored.
    case goOn(since: String)
    /// The source has refused the stored position for good; where the pass was begun anew already, the
    /// run ends so.
    case positionLost(RunEnd)
}

extension FetchedPage {
    /// The end of a list, told by an answer that is no page.
    static func nothing(of entity: Entity) -> FetchedPage {
        FetchedPage(batch: RecordBatch(entity), next: NextPosition())
    }

    /// A list that has nothing, or nothing more.
    static func empty(_ entity: Entity, at position: String?) -> FetchedPage {
        FetchedPage(
            batch: RecordBatch(entity), next: NextPosition(next: nil, reached: position))
    }

    static func unmodified(_ entity: Entity, reached: String?) -> FetchedPage {
        FetchedPage(
            batch: RecordBatch(entity), next: NextPosition(next: nil, reached: reached),
            isUnmodified: true)
    }
}
