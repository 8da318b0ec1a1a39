import JobQueue
import Synchronization

/// Which claims of this worker the database need not know any more, since all their runs have ended.
///
/// Whoever asks what runs looks up each run of each claim that is noted (`held_jobs`). So notes go by thousands of runs
/// and not by the clock. One that this worker can't tell is over is left to `forget_ended_claims`.
final class ClaimNotes: Sendable {
    /// So many runs that have ended may stand in notes.
    private static let endedMax = 2000

    private struct Note {
        var firstFence: Int64
        var runs: Int
        var running: Set<Int64>
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
            for (nonce, claims) in Dictionary(grouping: claims, by: \.nonce) {
                let fences = Set(claims.map(\.fence))
                guard let first = fences.min() else { continue }
                state.notes[nonce] = Note(firstFence: first, runs: fences.count, running: fences)
            }
        }
    }

    /// The database holds none of these as running.
    ///
    /// Returns whether so many are over that their notes are to go.
    func ended(_ claims: some Sequence<Claim>) -> Bool {
        state.withLock { state in
            for claim in claims {
                state.notes[claim.nonce]?.running.remove(claim.fence)
                guard let note = state.notes[claim.nonce], note.running.isEmpty else { continue }
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
