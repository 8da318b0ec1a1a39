import JobQueue
import Synchronization

/// Which claims of this worker the database need not know any more, as far as the worker can tell.
///
/// Whoever asks what runs looks up each run of each claim that is noted (`held_jobs`). So notes go by thousands of runs
/// and not by the clock. One of which the worker has not heard all is left to the chore.
final class ClaimNotes: Sendable {
    /// So many runs that have ended may stand in notes.
    private static let endedMax = 2000
    /// Claims of which a run has ended unheard, such as one that was lost or given back, stay among the notes here.
    private static let notesMax = 20_000

    private struct Note {
        var firstFence: Int64
        var runs: Int
        var running: Int
    }

    private struct State {
        /// By the number that a claim draws for all its runs.
        var notes: [[UInt8]: Note] = [:]
        var over: [Int64] = []
        var runsOver = 0
    }

    private let state = Mutex(State())

    /// These are noted; none of their runs has begun.
    func claimed(_ claims: [Claim]) {
        state.withLock { state in
            if state.notes.count >= Self.notesMax { state.notes = [:] }
            for (nonce, claims) in Dictionary(grouping: claims, by: \.nonce) {
                guard let first = claims.map(\.fence).min() else { continue }
                state.notes[nonce] = Note(
                    firstFence: first, runs: claims.count, running: claims.count)
            }
        }
    }

    /// The database holds none of these as running.
    ///
    /// Returns whether so many are over that their notes are to go.
    func ended(_ claims: some Sequence<Claim>) -> Bool {
        state.withLock { state in
            for claim in claims {
                state.notes[claim.nonce]?.running -= 1
                guard let note = state.notes[claim.nonce], note.running == 0 else { continue }
                state.notes[claim.nonce] = nil
                state.over.append(note.firstFence)
                state.runsOver += note.runs
            }
            return state.runsOver >= Self.endedMax
        }
    }

    /// The first fences of the claims that are over, once there are many runs in them; each is given once.
    func takeMany() -> [Int64] {
        state.withLock { state in
            guard state.runsOver >= Self.endedMax else { return [] }
            defer { (state.over, state.runsOver) = ([], 0) }
            return state.over
        }
    }
}
