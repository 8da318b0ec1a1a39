import Foundation
import JobQueue
import Postgres
import Testing

/// What a job is in, prepared with the verbs themselves where there is one.
enum State: String, CaseIterable {
    case waiting, running, paused, quarantined
    case needsReauth = "needs_reauth"
    case deferred
}

/// What is done to it, by the name that the page has for it.
enum Verb: String, CaseIterable {
    case claim = "claim_new"
    case hold = "hold_job"
    case commitPage = "commit_page"
    case finish = "finish_runs"
    case release = "release_jobs"
    case reap = "reap_jobs"
    case enqueue
    case cancel = "cancel_jobs"
    case retry = "retry_jobs"
    case pause = "pause_jobs"
    case resume = "resume_jobs"
    case reset = "reset_jobs"
    case wantFresh = "want_fresh"
    case trigger = "trigger_event"
    case pushSoon = "push_soon"
    case repair = "repair_jobs"
    case takeJob = "take_job"
    case pauseFile = "pause_job_file"
    case resumeFile = "resume_job_file"
}

/// The table of docs/ARCHITECTURE.md, with a verb's cells in the order of the states.
///
/// `bin/chaos --pairs` reads it, too.
private func readTable() throws -> [Verb: [String]] {
    let page = packageDirectory + "/docs/ARCHITECTURE.md"
    let lines = try String(contentsOfFile: page, encoding: .utf8).split(separator: "\n")
    var table: [Verb: [String]] = [:]
    let rows = lines.drop { !$0.hasPrefix("| Verb | waiting, due | running") }.dropFirst(2)
    for line in rows {
        guard line.hasPrefix("|") else { break }
        let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        for name in cells[0].split(separator: "`") {
            if let verb = Verb(rawValue: String(name)) { table[verb] = Array(cells.dropFirst()) }
        }
    }
    return table
}

/// What `summary` tells where the page says it in words for a reader.
private let words = [
    "due after the debounce": "due",
    "running, one more follows": "running, rerun",
    "running, stopping, then paused": "running, stopping, to pause",
    "running; its next page is refused": "running",
    "waiting, paused or set aside": "later",
    "deferred, or due with force": "deferred",
    "paused, if by itself": "paused",
]

/// What the job is afterwards; `lost` before it when the verb was refused for want of the claim.
private func expected(_ cell: String, in state: State) -> String {
    if cell == "lost" { return "lost, " + (state == .waiting ? "due" : state.rawValue) }
    return words[cell] ?? cell
}

@Suite("State and verb")
struct StateVerbTests {
    @Test(arguments: State.allCases)
    func `each verb does to a job in this state what the table says`(state: State) async throws {
        let table = try readTable()
        let column = try #require(State.allCases.firstIndex(of: state))
        try await Fixture.lend { fixture async throws in
            for verb in Verb.allCases {
                let user = try await fixture.addUser()
                let worker = try await fixture.addWorker()
                let claim = try await fixture.put(user, into: state, by: worker)
                let fence = try await fixture.job("fence", user: user)
                let isKept = try await fixture.perform(verb, claim: claim, worker: worker)
                let after = try await fixture.summary(user)
                #expect(
                    (isKept ? "" : "lost, ") + after
                        == table[verb].map { expected($0[column], in: state) },
                    "\(verb) of a job that is \(state)")
                if verb == .takeJob {
                    try await fixture.expectTaken(claim, wasRunning: state == .running)
                } else if verb != .claim || state != .waiting {
                    #expect(try await fixture.job("fence", user: user) == fence)
                }
                try await fixture.script("select jobrunner.remove_user('acme', 'ann')")
                _ = try await fixture.queue.leave(worker: worker, deadline: .now + .seconds(10))
            }
        }
    }
}

extension Fixture {
    /// Returns the claim of the last run: held in state running, stale in all others.
    fileprivate func put(_ user: Int64, into state: State, by worker: Int) async throws -> Claim {
        let claim = try await run(worker, user: user)
        if state == .running { return claim }
        switch state {
        case .needsReauth: try await finish(claim, .needsReauth, kind: .unauthorised)
        case .deferred: try await finish(claim, .deferred, kind: .rateLimited, wait: .seconds(3600))
        default: try await finish(claim)
        }
        if state != .deferred {
            try await given(.due(for: "1 min"))
        }
        if state == .paused {
            _ = try await int("select jobrunner.pause_jobs('acme', 'ann', 'hub.refresh')")
        }
        if state == .quarantined {
            try await given(.parked())
        }
        return claim
    }

    /// False when the verb found the claim lost.
    fileprivate func perform(_ verb: Verb, claim held: Claim, worker: Int) async throws -> Bool {
        switch verb {
        case .claim: _ = try await claim(worker)
        case .hold: return try await isHeld { _ = try await queue.turn([held.holdStatement]) }
        case .commitPage: return try await isHeld { try await commit(held) }
        case .finish: return try await finish(held).isEmpty
        case .release: return try await queue.releaseJobs([held]) == 1
        case .reap:
            try await given(.silent())
            let reaped = try await queue.reapJobs(lease: .seconds(30))
            #expect(reaped.map(\.worker) == [worker])
        case .enqueue: _ = try await text("select jobrunner.enqueue('acme', 'ann', 'hub.refresh')")
        case .cancel, .retry, .pause, .resume:
            _ = try await int("select jobrunner.\(verb.rawValue)('acme', 'ann', 'hub.refresh')")
        case .reset: _ = try await int("select jobrunner.reset_jobs('acme', 'ann', 'hub.refresh')")
        case .wantFresh:
            _ = try await queue.wantFresh(tenant: "acme", user: "ann", job: Fixture.refresh)
        case .trigger:
            try await given(.triggers(#"{"event": "woken", "debounce_ms": 1}"#))
            _ = try await queue.triggerEvent("woken", tenant: "acme", user: "ann")
        case .pushSoon:
            try await given(.writableTables("hub.refresh", debounce: 1))
            _ = try await text("select jobrunner.push_soon('acme', 'ann', 'hub_video')::text")
        case .repair:
            _ = try await queue.repairJobs(JobScope(tenant: "acme", user: "ann"))
        case .takeJob:
            #expect(try await int("select jobrunner.take_job('acme', 'hub.refresh')") == 1)
        case .pauseFile:
            _ = try await int("select jobrunner.pause_job_file('hub.refresh')")
            // Not those that are added for the next verb.
            try await given(.unpausedFiles())
        case .resumeFile:
            _ = try await int("select jobrunner.resume_job_file('hub.refresh')")
        }
        return true
    }

    fileprivate func isHeld(_ body: () async throws -> Void) async throws -> Bool {
        do {
            try await body()
            return true
        } catch QueueError.lost {
            return false
        }
    }

    /// The run that was in progress is in the history, and can write nothing more; the tenant is
    /// given the job again for the next verb.
    fileprivate func expectTaken(_ claim: Claim, wasRunning: Bool) async throws {
        #expect(try await !isHeld { try await commit(claim) })
        #expect(try await finish(claim).map(\.kind) == [.lost])
        let runs = try await int(
            """
            select count(*) from jobrunner.runs
            where id = \(claim.fence) and outcome = 'partial' and error_kind = 'cancelled'
            """)
        #expect(runs == (wasRunning ? 1 : 0))
        #expect(try await int("select jobrunner.give_job('acme', 'hub.refresh')") == 1)
    }

    fileprivate func summary(_ user: Int64) async throws -> String {
        guard try await int("select count(*) from jobrunner.jobs where user_id = \(user)") > 0
        else {
            return "gone"
        }
        return try await job(
            """
            case
              when state <> 'waiting' then state
              when deferred_until > now() then 'deferred'
              when due_at <= now() then 'due'
              else 'later'
            end
            || case when rerun_requested then ', rerun' else '' end
            || case when cancel_requested_at is not null then ', stopping' else '' end
            || case when worker_id is not null and paused_at is not null then ', to pause' else '' end
            """, user: user)
    }
}
