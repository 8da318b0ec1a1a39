import JobQueue

/// Waits for the runs that an enqueue asked for.
///
/// A run that goes on in another is waited for with it.
struct RunWaiter {
    private let queue: Queue
    private let name: String
    private let tenant: String
    private var pending: [Int64: EnqueuedJob] = [:]
    private var done: [(user: String, end: String, isComplete: Bool)] = []
    private let isOne: Bool

    /// Runs take longer than that, and the database hardly notices.
    private static let pause = Duration.milliseconds(150)

    init(queue: Queue, name: String, tenant: String, jobs: [EnqueuedJob]) {
        self.queue = queue
        self.name = name
        self.tenant = tenant
        isOne = jobs.count == 1
        for job in jobs {
            if job.isUnderWay {
                pending[job.userID] = job
            } else {
                done.append((job.user, "has no run: \(job.word)", false))
            }
        }
    }

    /// Returns when nothing is left to wait for.
    mutating func wait() async throws -> (lines: [String], isComplete: Bool) {
        let progress = ProgressLine()
        let clock = ContinuousClock()
        while !pending.isEmpty {
            progress.show("waiting for \(counted(pending.count, "run")) of \(name)")
            let started = clock.now
            for job in try await queue.awaited(Array(pending.values), name: name) { take(job) }
            // Thousands of jobs are asked for less often.
            if !pending.isEmpty {
                try await Task.sleep(for: Self.pause + (clock.now - started) * 4)
            }
        }
        progress.clear()
        return (lines(), done.allSatisfy(\.isComplete))
    }

    private mutating func take(_ ended: AwaitedJob) {
        guard var job = pending[ended.userID] else { return }
        if ended.outcome != nil, ended.goesOn, ended.state == "waiting" {
            job.fence = ended.fence
            job.askedAt = ended.endedAt
            pending[ended.userID] = job
            return
        }
        pending[ended.userID] = nil
        done.append((job.user, endWords(ended), ended.outcome == "complete"))
    }

    private func lines() -> [String] {
        if isOne { return done.map { "\(name) of \(whose($0.user, of: tenant)) \($0.end)" } }
        let bad = done.filter { !$0.isComplete }.sorted { $0.user < $1.user }
        return ["\(counted(done.count, "run")) of \(name): \(done.count - bad.count) complete"]
            + bad.map { "\(whose($0.user, of: tenant)) \($0.end)" }
    }
}

/// How a run that was waited for ended.
func endWords(_ ended: AwaitedJob) -> String {
    guard let outcome = ended.outcome else {
        return "has no run: " + (ended.state ?? "the job was removed")
    }
    let counters = [
        (ended.pages, "page"), (ended.fetched, "fetched"), (ended.inserted, "inserted"),
        (ended.updated, "updated"), (ended.deleted, "deleted"),
    ].filter { $0.0 > 0 }
    let words = counters.map { $1 == "page" ? counted($0, $1) : "\($0) \($1)" }
    let numbers = words.isEmpty ? "nothing new" : words.joined(separator: ", ")
    let trouble = outcome == "complete" ? nil : ended.error
    return "ended \(outcome) (run \(ended.fence)): \(numbers)" + (trouble.map { "; \($0)" } ?? "")
}
