import Foundation
import Postgres
import Synchronization
import Testing

import Claiming
import JobQueue

/// Eight workers' claimers at once over every kind of job and tenant, for as many seconds as CLAIMERS_SECONDS says (20).
///
/// Waits are counted in claims that went before, so that a slow machine changes none of them. Alone in its process: the
/// eight have the work of many tests.
@Suite("Eight claimers at once")
struct EightClaimersTests {
    @Test func `eight claimers are fair, pass no limit, and take no job twice`() async throws {
        let words = ProcessInfo.processInfo.environment["CLAIMERS_SECONDS"] ?? ""
        let seconds = Double(words) ?? 20
        try await Fixture.lend(lanes: 8) { fixture async throws in
            let town = try await Town.build(fixture)
            let ledger = Ledger(tenants: town.tenants)
            let claimers = (0..<8).map { _ in fixture.claimer(Town.slotsEach) }
            let listener = Listener(
                try DatabaseConfiguration(conninfo: fixture.url, applicationName: "test", lanes: 1),
                channels: ["jobrunner_due"])
            await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await town.tell(listener, to: claimers, fixture) }
                for claimer in claimers {
                    group.addTask { try await town.work(claimer, fixture, ledger) }
                }
                group.addTask { try await town.disturb(fixture, ledger) }
                group.addTask { try await town.watch(fixture, ledger) }
                try? await Task.sleep(for: .seconds(seconds))
                listener.close()
                group.cancelAll()
                do {
                    while try await group.next() != nil {}
                } catch is CancellationError {
                } catch let error as DatabaseError where error.code == .cancelled {
                    // It was under way when the time was over.
                } catch {
                    Issue.record(error)
                }
            }
            for (tenant, due) in try await town.left(fixture) { ledger.left(tenant, due: due) }
            ledger.judge(town, seconds: seconds)
        }
    }
}

/// A tenant of the town, and what is expected of it.
struct Citizen: Sendable {
    enum Kind: Sendable { case busy, small, limited, paused }

    var id: Int64
    var name: String
    var kind: Kind
    var weight: Int
    var users: Int
    /// The limit that it begins with.
    var limit: Int?
}

/// The tenants, and what goes on.
struct Town: Sendable {
    static let slotsEach = 4
    static let span = 0.15...0.25

    var tenants: [Citizen]

    static func build(_ fixture: Fixture) async throws -> Town {
        var tenants: [Citizen] = []
        func add(
            _ name: String, _ kind: Citizen.Kind, users: Int, weight: Int = 1, limit: Int? = nil
        ) async throws {
            try await fixture.addTenant(name, weight: weight, maxRunning: limit)
            for user in 1...users { try await fixture.addUser("u\(user)", tenant: name) }
            let id = Int64(
                try await fixture.int(
                    "select id from jobrunner.tenants where name = $1", .text(name)))
            tenants.append(
                Citizen(id: id, name: name, kind: kind, weight: weight, users: users, limit: limit))
        }
        for number in 1...12 {
            try await add(
                "busy\(number)", .busy, users: 60, weight: number <= 6 ? 1 : number <= 9 ? 2 : 4)
        }
        for number in 1...20 { try await add("small\(number)", .small, users: 5) }
        for number in 1...4 {
            try await add(
                "limited\(number)", .limited, users: 30, limit: number == 4 ? 2 : 1)
        }
        for number in 1...2 { try await add("paused\(number)", .paused, users: 10) }
        let fifth = Whose.key("u5")
        try await fixture.given(
            .period("1 s", phase: "0 s", .tenants("^(busy|limited|paused)")),
            .due(.tenants("^(busy|limited|paused)")), .notDue(.tenants("^small")),
            .due(fifth.and(.tenants("^small[12]$")), for: "1 min"),
            .paused(fifth.and(.tenant("small1"))), .needingSecret(fifth.and(.tenant("small2"))),
            .parked(fifth.and(.tenant("small3")), for: "1 hour"), .pausedTenants("^paused"))
        return Town(tenants: tenants)
    }

    /// What `SupervisionLoop` and `NotificationLoop` tell.
    func tell(_ listener: Listener, to claimers: [Claimer], _ fixture: Fixture) async throws {
        var seen: String?
        for await event in listener.events {
            guard case .notification(_, let payload) = event else { continue }
            let parts = payload.split(separator: ":", omittingEmptySubsequences: false)
            if let time = Int64(parts[0]) {
                for claimer in claimers { claimer.notified(dueFrom: time) }
            } else {
                let (now, news) = try await fixture.queue.news(since: seen)
                seen = now
                for claimer in claimers { claimer.heard(news) }
            }
        }
    }

    /// A worker without sources: its runs sleep.
    func work(_ claimer: Claimer, _ fixture: Fixture, _ ledger: Ledger) async throws {
        let worker = try await fixture.addWorker(capacity: Self.slotsEach)
        let free = Slots(Self.slotsEach)
        try await withThrowingTaskGroup(of: Void.self) { group in
            while !Task.isCancelled {
                let slots = free.count
                guard slots > 0 else {
                    try await group.next()
                    continue
                }
                let began = ContinuousClock.now
                let jobs = try await claimer.claim(worker: worker, slots: slots)
                free.add(-jobs.count)
                for job in jobs {
                    ledger.began(job, claimedAfter: began)
                    group.addTask {
                        let start = ContinuousClock.now
                        try await Task.sleep(for: .seconds(Double.random(in: Self.span)))
                        ledger.ended(job, held: (ContinuousClock.now - start) / .seconds(1))
                        claimer.ended(job)
                        free.add(1)
                        _ = try await fixture.finish(job.claim)
                        _ = claimer.written([
                            FinishedRun(
                                claim: job.claim, tenantID: job.tenantID, outcome: .complete)
                        ])
                    }
                }
                if jobs.count < slots { try await Task.sleep(for: .milliseconds(10)) }
            }
            group.cancelAll()
        }
    }

    private final class Slots: Sendable {
        private let free: Mutex<Int>
        init(_ count: Int) { free = Mutex(count) }
        var count: Int { free.withLock { $0 } }
        func add(_ more: Int) { free.withLock { $0 += more } }
    }

    /// Small tenants ask for jobs; paused ones are let go and stopped; a limit changes.
    func disturb(_ fixture: Fixture, _ ledger: Ledger) async throws {
        let small = tenants.filter { $0.kind == .small }
        var step = 0
        while !Task.isCancelled {
            step += 1
            guard let tenant = small.randomElement() else { return }
            _ = try await fixture.text(
                "select jobrunner.enqueue($1, $2, 'hub.refresh')", .text(tenant.name),
                .text("u\(Int.random(in: 1...4))"))
            if step % 100 == 0 {
                let isPaused = step % 200 == 0
                if !isPaused { ledger.pause(false) }
                try await fixture.script(
                    isPaused
                        ? "select jobrunner.pause_jobs('paused1')"
                        : "select jobrunner.resume_jobs('paused1')")
                if isPaused { ledger.pause(true) }
            }
            if step % 70 == 0 {
                let most = Int.random(in: 1...3)
                let before = try await fixture.microseconds()
                try await fixture.script(
                    "select jobrunner.set_tenant('limited4', in_max_running => \(most))")
                ledger.limitChanges(
                    "limited4", to: most, from: before, by: try await fixture.microseconds())
            }
            try await Task.sleep(for: .milliseconds(80))
        }
    }

    /// Counts in the database itself what runs of limited tenants.
    func watch(_ fixture: Fixture, _ ledger: Ledger) async throws {
        while !Task.isCancelled {
            let rows = try await fixture.pool.run { session in
                try session.query(
                    Statement(
                        """
                        select t.name, t.max_running, count(*),
                          (extract(epoch from min(j.started_at)) * 1000000)::bigint
                        from jobrunner.tenants as t
                        join jobrunner.jobs as j on j.tenant_id = t.id and j.worker_id is not null
                        where t.max_running is not null
                        group by t.id
                        """)
                ).map { (try $0.text(0), try $0.int(1), try $0.int(2), Int64(try $0.int(3))) }
            }
            for (name, most, running, oldest) in rows {
                ledger.note(name, running: running, most: most, oldest: oldest)
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}

extension Town {
    /// What nobody has claimed when the time is over: of each tenant since when its oldest due job waits.
    fileprivate func left(_ fixture: Fixture) async throws -> [(tenant: Int64, due: Int64)] {
        try await fixture.pool.run { session in
            try session.query(
                Statement(
                    """
                    select j.tenant_id, (extract(epoch from min(j.due_at)) * 1000000)::bigint
                    from jobrunner.jobs as j
                    where j.claimable_at <= now() and j.state = 'waiting'
                    group by j.tenant_id
                    """)
            ).map { (Int64(try $0.int(0)), Int64(try $0.int(1))) }
        }
    }
}

extension Fixture {
    /// The database's clock, in microseconds of the epoch.
    fileprivate func microseconds() async throws -> Int64 {
        Int64(try await int("select (extract(epoch from clock_timestamp()) * 1000000)::bigint"))
    }
}
