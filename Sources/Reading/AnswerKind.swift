/// What an answer to a request for a list is by its status.
public enum AnswerKind: Sendable, Equatable {
    /// What was asked for: its body is to be read.
    case content
    /// A list with nothing in it (204).
    case empty
    /// The list is still being made (202).
    case notYet
    /// The list is as it was (304).
    case unchanged
    /// No list.
    case other

    /// Judges a status; `expected` are those that the job file names as success.
    public init(status: Int, expected: [Int]) {
        self =
            switch status {
            case 204: .empty
            case _ where expected.contains(status): .content
            case 202: .notYet
            case 304: .unchanged
            default: .other
            }
    }
}
