import Postgres
import Claiming
import JobQueue
// For every file of the suite: the words that tests share.
@_exported import TestSupport
import Testing

/// A migrated database with tenant `acme`, the job files `hub.refresh` (hourly, source `hub` at
/// 20 requests a second, entities `video` and `channel`) and `hub.status` (every five minutes,
/// source `status` without a limit), and two synced tables.
struct Fixture: Household {
    let pool: Database
    let queue: Queue
    /// For sessions of a test's own.
    let url: String

    static let refresh = "hub.refresh"
    static let status = "hub.status"

    /// Lends a database of the test's own, with as many sessions as lanes, and so many users with a job that is due.
    static func lend(
        lanes: Int = 2, users: Int = 0, _ body: (Fixture) async throws -> Void
    ) async throws {
        let template = try await TestCluster.shared.schemaTemplate(named: "queue", script: contents)
        let clone = try await TestDatabase.make(template: template)
        var configuration = try clone.configuration(lanes: lanes)
        // A test ends what it makes others wait for, however slow the machine is.
        configuration.lockTimeout = hangLimit
        try await Database.withSessions(configuration) { database in
            let fixture = Fixture(pool: database, queue: Queue(database), url: clone.url)
            if users > 0 { try await fixture.addUsers(users) }
            try await body(fixture)
        }
    }

    /// The same, with a worker.
    static func lend(
        lanes: Int = 2, users: Int = 0, _ body: (Fixture, _ worker: Int) async throws -> Void
    ) async throws {
        try await lend(lanes: lanes, users: users) { try await body($0, try await $0.addWorker()) }
    }

    /// The same, with a worker and user `ann`.
    static func lend(
        lanes: Int = 2, _ body: (Fixture, _ worker: Int, _ user: Int64) async throws -> Void
    ) async throws {
        try await lend(lanes: lanes) { fixture, worker in
            try await body(fixture, worker, try await fixture.addUser())
        }
    }

    /// The same, with a run of ann's that the worker has.
    static func lend(
        lanes: Int = 2,
        _ body: (Fixture, _ worker: Int, _ user: Int64, _ claim: Claim) async throws -> Void
    ) async throws {
        try await lend(lanes: lanes) { fixture, worker, user in
            try await body(fixture, worker, user, try await fixture.run(worker, user: user))
        }
    }
}

private let contents = """
    select jobrunner.store_job_file('{"name": "hub.refresh", "source": "hub", "every": "1 hour",
      "spread": true, "deadline": "5 min", "per_second": 20,
      "expanded": {"entities": [{"entity": "video"}, {"entity": "channel"}]}}');
    select jobrunner.store_job_file('{"name": "hub.status", "source": "status", "every": "5 min",
      "spread": true, "deadline": "1 min", "per_second": null,
      "expanded": {"entities": [{"entity": "status"}]}}');
    select jobrunner.add_tenant('acme');
    \(keyed("acme"))
    select jobrunner.give_job('acme', 'hub.refresh');
    create table synced.hub_video (user_id bigint, video_id text, primary key (user_id, video_id));
    create table synced.hub_channel (user_id bigint, channel_id text, primary key (user_id, channel_id));
    \(Given.syncedTable("hub_video")) \(Given.syncedTable("hub_channel", "list"))
    """

extension Fixture {
    @discardableResult
    func addUser(_ key: String = "ann", tenant: String = "acme") async throws -> Int64 {
        Int64(
            try await int(
                "select jobrunner.add_user($1, $2)", .text(tenant), .text(key)))
    }

    /// Many users with a job each that is due, without the cost of a call each.
    func addUsers(
        _ count: Int, tenant: String = "acme", addingTenant isNew: Bool = false
    ) async throws {
        if isNew { try await addTenant(tenant) }
        // In parts, since a statement has a limit that a busy machine reaches.
        for first in stride(from: 1, through: count, by: 10_000) {
            try await given(
                .users(first...min(count, first + 9999), of: tenant, job: Self.refresh))
        }
    }

    func addTenant(
        _ name: String, weight: Int = 1, maxRunning: Int? = nil
    ) async throws {
        _ = try await int(
            "select jobrunner.add_tenant($1, $2, $3)", .text(name), .int4(Int32(weight)),
            .optional(maxRunning.map { Int32($0) }, Bind.int4))
        try await script(keyed(name))
        _ = try await int("select jobrunner.give_job($1, 'hub.refresh')", .text(name))
    }

    func addWorker(capacity: Int = 100) async throws -> Int {
        try await queue.registerWorker(host: "test", pid: 1, version: "0", capacity: capacity)
    }

    func claim(
        _ worker: Int, limit: Int = 100, names: [String] = [refresh, status]
    ) async throws -> [ClaimedJob] {
        try await queue.claimJobs(worker: worker, limit: limit, names: names)
    }

    /// What a worker of so many slots remembers between its claims.
    func claimer(_ capacity: Int, names: [String] = [refresh, status]) -> Claimer {
        Claimer(
            queue, files: Dictionary(uniqueKeysWithValues: names.map { ($0, RunNeeds.all) }),
            capacity: capacity)
    }

    /// A claimer for which no time goes by, so that all its tenants had the same slot time: none.
    func timelessClaimer(_ capacity: Int) -> Claimer {
        let moment = ContinuousClock.now
        return Claimer(
            queue, files: [Self.refresh: .all, Self.status: .all], capacity: capacity,
            clock: { moment })
    }

    /// Has a claimer look at all that is due, however long that takes on a busy machine.
    func look(_ claimer: Claimer, worker: Int) async throws {
        repeat {
            #expect(try await claimer.claim(worker: worker, slots: 0).isEmpty)
        } while claimer.isBehind
    }

    /// Makes a waiting job due and claims it.
    func run(_ worker: Int, user: Int64, name: String = refresh) async throws -> Claim {
        try await runJob(worker, user: user, name: name).claim
    }

    /// The same, with all that the claim told.
    func runJob(
        _ worker: Int, user: Int64, name: String = refresh
    ) async throws -> ClaimedJob {
        try await given(.due(.user(user).and(.named(name)), for: "1 year"))
        let claimed = try await claim(worker, limit: 1, names: [name])
        guard let job = claimed.first, job.claim.userID == user else { throw NotClaimed() }
        return job
    }

    struct NotClaimed: Error {}

    /// Remembers a call's success, as a page's transaction does.
    func remember(_ call: String, listHash: String?, for claim: Claim) async throws {
        let remembered = PendingCall(call: call, listHash: listHash)
        _ = try await queue.turn([claim.holdStatement, remembered.statement(for: claim)])
    }

    @discardableResult
    func finish(
        _ claim: Claim, _ outcome: Outcome = .complete, kind: ErrorKind? = nil,
        error: String? = nil, entity: String? = nil, wait: Duration? = nil,
        secrets: [Int64] = []
    ) async throws -> [Verdict] {
        try await queue.finishRuns([
            FinishedRun(
                claim: claim, outcome: outcome, errorKind: kind?.rawValue, error: error,
                failures: entity.map {
                    [EntityFailure(entity: $0, kind: kind?.rawValue ?? "", error: error)]
                } ?? [], wait: wait, requests: 1, secretVersions: secrets)
        ])
    }

    /// Commits a page of an entity in a transaction that proves the claim.
    @discardableResult
    func commit(
        _ claim: Claim, _ page: PageCommit = page(1), _ counts: PageCounts = PageCounts()
    ) async throws -> [Rows] {
        try await queue.turn([claim.holdStatement, page.statement(for: claim, counts)])
    }

    /// One column of the user's job as text.
    func job(_ column: String, user: Int64, name: String = refresh) async throws -> String {
        try await text(
            "select (\(column))::text from jobrunner.jobs where user_id = $1 and name = $2",
            .int8(user), .text(name))
    }

    /// One column of a checkpoint as text.
    func checkpoint(
        _ column: String, user: Int64, entity: String = "video"
    ) async throws -> String {
        try await text(
            "select (\(column))::text from jobrunner.checkpoints where user_id = $1 and entity = $2",
            .int8(user), .text(entity))
    }
}

/// Counters of a page, in the order of `commit_page`; nothing fetched by default.
struct PageCounts {
    var fetched = 0, inserted = 0, updated = 0, unchanged = 0, skippedOlder = 0
    var skippedIncompatible = 0, filtered = 0, duplicate = 0, deleted = 0

    var binds: [Bind] {
        [
            fetched, inserted, updated, unchanged, skippedOlder, skippedIncompatible, filtered,
            duplicate, deleted,
        ].map { .int($0) }
    }
}

/// A page of a full pass; the first page of the first generation unless told otherwise.
func page(
    _ number: Int, entity: String = "video", generation: Int64 = 0, cursor: String? = "next",
    token: String? = nil, isEnd: Bool = false, watermark: String? = nil, pass: Int = 1,
    fullRequest: Int = 0
) -> PageCommit {
    var position = PassPosition()
    position.generation = generation
    position.passNumber = pass
    position.passKind = .full
    position.passStartedAt = 1_700_000_000_000_000
    position.pageNumber = number
    position.cursor = isEnd ? nil : cursor
    position.syncToken = token
    position.watermark = watermark
    position.fullRequest = fullRequest
    return PageCommit(entity: entity, position, isEnd: isEnd)
}

/// The end of a pass that wrote nothing of its own, behind its last committed page.
func passEnd(
    _ entity: String = "video", pass: Int = 1, page: Int = 0, watermark: String? = nil,
    token: String? = nil
) -> EndedPass {
    var position = PassPosition()
    position.passNumber = pass
    position.pageNumber = page
    position.watermark = watermark
    position.syncToken = token
    return EndedPass(entity: entity, position)
}

extension PageCommit {
    func statement(for claim: Claim, _ counts: PageCounts = PageCounts()) -> Statement {
        let names = [
            "fetched", "inserted", "updated", "unchanged", "skipped_older", "skipped_incompatible",
            "filtered", "duplicate", "deleted",
        ]
        let counters = names.enumerated()
            .map { "\($1) => $\(PageCommit.bindCount + 1 + $0)" }.joined(separator: ", ")
        return Statement(
            "select \(PageCommit.call(counters: "jobrunner.make_counters(pages => \(PageCommit.pageCount), \(counters))"))",
            binds: binds(for: claim) + counts.binds)
    }
}

extension String {
    func replacing(_ word: String, with other: String) -> String {
        split(separator: word, omittingEmptySubsequences: false).joined(separator: other)
    }
}
