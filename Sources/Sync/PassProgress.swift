import JobQueue
import Reading

/// Sees that a pass comes forward: no position twice, and not the same records page after page.
struct PassProgress {
    private var positions: Set<String> = []
    private var keys: Int?

    /// Throws `RunEnd` cursor loop where the page leads back, or shows what the one before showed.
    ///
    /// What is committed stands.
    mutating func advance(_ page: FetchedPage, at position: String?) throws {
        // A position that comes again would go round for ever.
        if let position { positions.insert(position) }
        if let next = page.next.next, !positions.insert(next).inserted {
            throw RunEnd.failed(
                .cursorLoop, "the source gave a position again that it gave before")
        }
        guard let shown = page.keys else { return }
        // A source that ignores where a page is to begin shows the same records for ever.
        guard shown != keys else {
            throw RunEnd.failed(
                .cursorLoop,
                "the page shows the records of the one before: does the source know the parameter?")
        }
        keys = shown
    }
}
