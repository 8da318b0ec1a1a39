/// How much an operator has to care about a line.
public enum Level: String, Sendable, CaseIterable, Comparable {
    /// Somebody has to act.
    case error
    /// Something failed; the system copes.
    case warning
    /// What happened, once per run at most.
    case info
    /// What would drown the rest: idle runs, pages.
    case debug

    private var verbosity: Int {
        switch self {
        case .error: 0
        case .warning: 1
        case .info: 2
        case .debug: 3
        }
    }

    /// Orders by verbosity: `error` is the least, `debug` the greatest.
    public static func < (left: Level, right: Level) -> Bool { left.verbosity < right.verbosity }
}
