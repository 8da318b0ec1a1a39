import HTTP
import JSON
import JobFiles

/// Where a pass goes on after a page; nil `next` is the protocol's own end (invariant 5).
public struct NextPosition: Sendable, Equatable {
    /// Where the next page begins; nil: there is none.
    public var next: String?
    /// Keyset: the position to keep when the pass ends.
    public var reached: String?

    /// A position; without `next` the pass ends.
    public init(next: String? = nil, reached: String? = nil) {
        self.next = next
        self.reached = reached
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
    var recordCount: Int
    /// Greatest value of a keyset's field in the page.
    var greatest: String?
}

extension Page {
    /// An empty page ends these styles; a short one only by declaration, since servers clamp sizes.
    func isShort(_ facts: PageFacts) -> Bool {
        facts.recordCount == 0 || (endsAtShortPage && facts.recordCount < size ?? 0)
    }
}
