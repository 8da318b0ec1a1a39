import Synchronization

/// How many runs have ended since the notes of ended claims were last deleted.
///
/// Whoever asks what runs reads these notes: there are never many more of them than what runs.
final class EndedRuns: Sendable {
    /// So many notes of runs that have ended may stand; a reader looks each up in some microseconds.
    private static let most = 5000

    private let count = Atomic(0)

    /// Returns whether so many have ended that their notes are to go.
    func add(_ ended: Int) -> Bool {
        count.add(ended, ordering: .relaxed).newValue >= Self.most
    }

    /// Whether so many have ended; if so it counts from 0 on.
    func takeMany() -> Bool {
        guard count.load(ordering: .relaxed) >= Self.most else { return false }
        count.store(0, ordering: .relaxed)
        return true
    }
}
