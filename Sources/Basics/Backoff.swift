/// Waits between tries: exponential backoff with full jitter.
///
/// Each wait is a random part of a ceiling that doubles with each try. Many who lost the same server
/// at the same moment so come back spread out.
public struct Backoff: Sendable {
    /// What the next wait lasts at most, in milliseconds.
    public private(set) var ceilingMilliseconds: Int
    private let mostMilliseconds: Int

    /// Begins with a wait of at most `first`; none is ever longer than `most`.
    public init(first: Duration, most: Duration) {
        ceilingMilliseconds = first.millisecondsRoundedUp
        mostMilliseconds = most.millisecondsRoundedUp
    }

    /// How long to wait before the next try: at least a millisecond.
    public mutating func next() -> Duration {
        defer { ceilingMilliseconds = min(mostMilliseconds, ceilingMilliseconds * 2) }
        return .milliseconds(Int.random(in: 1...ceilingMilliseconds))
    }
}
