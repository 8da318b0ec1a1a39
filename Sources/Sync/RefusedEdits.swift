import JobQueue
import Writing

/// The edits that a source has refused one by one in a run, and what the run ends with for them.
struct RefusedEdits {
    /// The user's own store has no room.
    private static let full = "QUOTA_EXCEEDED"

    private var count = 0
    private var isFull = false
    private var example: String?
    /// Those with which the source asks for patience only.
    private var patient = 0
    private var wait: Duration?

    /// All of them.
    var all: Int { count + patient }

    /// Takes in one; `text` says why, in the source's words and without secrets.
    mutating func add(_ code: String, _ text: String, _ pause: PushPause) {
        if case .until(let asked) = pause {
            patient += 1
            wait = min(wait ?? asked, asked)
        } else {
            count += 1
            isFull = isFull || code == Self.full
        }
        example = example ?? text
    }

    /// How a run ends that was read to its end; nil when no edit was refused.
    var end: RunEnd? {
        guard let example else { return nil }
        if count == 0 {
            return .unsent(
                .rateLimited,
                message: "the source asks for patience with \(edits(patient)): \(example)",
                wait: wait)
        }
        return isFull
            ? .unsent(
                .quotaExceeded,
                message:
                    "the user's store at the source is full, so that \(edits(count)) wait: \(example)",
                wait: wait)
            : .unsent(
                .editsRefused, message: "the source refuses \(edits(count)), such as \(example)",
                wait: wait)
    }

    private func edits(_ count: Int) -> String { count == 1 ? "1 edit" : "\(count) edits" }
}
