/// Why an answer is no page that a pass could go on with.
public enum PageError: Error, Sendable, Equatable {
    /// It is not what the job file declares.
    case malformed(String)
    /// It sends the pass to an address on another origin.
    case foreignOrigin(String)
    /// It names a position that would go round for ever.
    case cursorLoop(String)
    /// It ends before the end that the source itself has told.
    case truncated(String)
}
