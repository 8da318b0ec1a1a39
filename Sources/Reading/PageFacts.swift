import HTTP
import JSON
import JobFiles

/// Where a pass goes on after a page; nil `next` is the protocol's own end (invariant 5).
public struct NextPosition: Sendable, Equatable {
    /// Where the next page begins; nil when there is none.
    public var next: String?
    /// Keyset: the position to keep when the pass ends.
    public var reached: String?
    /// Why the pass, which ends here, may have ended before its list does; nil when it has not.
    public var doubt: String?

    /// A position; without `next` the pass ends.
    public init(next: String? = nil, reached: String? = nil) {
        self.next = next
        self.reached = reached
    }

    /// The same with both places changed.
    public func mapping(_ change: (String) throws -> String) rethrows -> NextPosition {
        var position = self
        position.next = try next.map(change)
        position.reached = try reached.map(change)
        return position
    }
}

/// What a page tells about the next one.
struct PageFacts {
    var root: JSONNode
    var response: HTTPResponse
    /// The address the page came from.
    var url: String
    /// The position it was asked for.
    var position: String?
    /// Elements of the outermost list, by which the source counts its pages.
    var recordCount: Int
    /// The most records that a page has had which led on to another; 0: none is known.
    var fullPage = 0
    /// When the pass began, microseconds since 1970.
    var begun = Int64.max
    /// What the records say of their order by a keyset's field.
    var positions = SeenPositions()
    /// The last element of that list, where the position is in it; nil when there is none.
    var lastRecord: JSONNode?
    /// Where the object is that holds the outermost list.
    var around = Path(steps: [])
    /// The source says that no more follows.
    var isLast = false
}

extension Page {
    /// An empty page ends the styles that count; a short one only by declaration, since servers clamp sizes.
    func isShort(_ facts: PageFacts) -> Bool {
        facts.recordCount == 0 || (end == .shortPage && facts.recordCount < size ?? 0)
    }

    /// The file says that the pass ends with such a page, whatever position it names.
    func isDeclaredEnd(_ facts: PageFacts) -> Bool {
        switch end {
        case nil: false
        case .emptyPage: facts.recordCount == 0
        // Whether it shows the page before is known where that one was read.
        case .repeated: false
        case .shortPage: facts.recordCount < size ?? 0
        }
    }
}
