@testable import Reading

extension PageError {
    /// The word of an error kind that a run which meets it ends with.
    var word: String {
        switch self {
        case .malformed: "malformed"
        case .foreignOrigin: "rejected"
        case .cursorLoop: "cursor_loop"
        case .truncated: "truncated"
        }
    }
}
