import JobFiles
import JobQueue
import Reading

/// Sees that a pass comes forward: no position twice, and not the same records page after page.
struct PassProgress {
    /// Pages without a record in a row through which a source may lead by its own positions.
    private static let emptyPagesMax = 100

    /// It has seen the list's first page, not only those behind a position that another run came to.
    let isFromBeginning: Bool
    private var positions: Set<String> = []
    private var keys: Int?
    /// Pages that were read, the one at hand among them, and the most elements that one of them had.
    private(set) var pages = 0
    private var longest = 0
    private var emptyPages = 0

    init(isFromBeginning: Bool = true) { self.isFromBeginning = isFromBeginning }

    /// Ends the pass where the page shows the one before and that is how the list ends; throws `RunEnd` cursor loop where it
    /// leads back, or nobody knows.
    ///
    /// What is committed stands.
    mutating func advance(_ page: inout FetchedPage, at position: String?, by rule: Page) throws {
        pages += 1
        defer {
            longest = max(longest, page.batch.listed)
            keys = page.keys ?? keys
        }
        try checkEmptyPages(page, rule)
        // A list whose first page no position names may count from that page, or from the one behind it.
        if pages == 2, !rule.sendsStart, let shown = page.keys, shown == keys { return }
        if rule.end == .repeated, showsTheOneBefore(page, at: position) {
            return end(&page, doubt: rule.isCounted ? doubt(page, rule) : nil)
        }
        if rule.isCounted, let shown = page.keys, shown == keys {
            guard rule.endsByItself, pages > 2 else { throw Self.repeatedPage }
            return end(
                &page,
                doubt: page.batch.listed < longest
                    ? nil
                    : "a full page shows the records of the one before, so that the list may go on behind it"
            )
        }
        // A position that comes again would go round for ever.
        if let position { positions.insert(position) }
        let mayStay = rule.end == .repeated && page.next.next == position
        if let next = page.next.next, !positions.insert(next).inserted, !mayStay {
            throw RunEnd.failed(
                .cursorLoop, "the source gave a position again that it gave before")
        }
    }

    /// A source that ignores where a page is to begin shows the same records for ever.
    static let repeatedPage = RunEnd.failed(
        .cursorLoop,
        "the page shows the records of the one before: does the source know the parameter? If it gives its last page "
            + "again behind it, page.end: repeated says so")

    private func showsTheOneBefore(_ page: FetchedPage, at position: String?) -> Bool {
        guard let shown = page.keys else {
            return page.next.next != nil && page.next.next == position
        }
        return shown == keys
    }

    /// Why a second page that shows the first one proves no end.
    private func doubt(_ page: FetchedPage, _ rule: Page) -> String? {
        guard pages == 2, let size = rule.size, page.batch.listed >= size else { return nil }
        return
            "the second page shows the records of the first, which is full: does the source know the parameter?"
    }

    private func end(_ page: inout FetchedPage, doubt: String?) {
        page.next.next = nil
        page.next.doubt = doubt
    }

    private mutating func checkEmptyPages(_ page: FetchedPage, _ rule: Page) throws {
        emptyPages = page.batch.listed == 0 && page.next.next != nil ? emptyPages + 1 : 0
        switch rule.style {
        case .keyset(.body, _), .token(.sum): break
        default: return
        }
        guard emptyPages > Self.emptyPagesMax else { return }
        throw RunEnd.failed(
            .cursorLoop,
            "\(Self.emptyPagesMax) pages in a row had no record and another position each; if an empty page ends the "
                + "list whatever its position, page.end: empty_page says so")
    }
}

extension Page {
    /// Nothing but an empty page ends its passes, as far as the source and the file say.
    fileprivate var endsByItself: Bool {
        guard moreAt == nil, moreIf == nil, lastAt == nil else { return false }
        return switch style {
        case .offset(_, nil), .number(_, nil): true
        default: false
        }
    }
}
