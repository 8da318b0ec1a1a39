import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import JobQueue

/// Eight workers' claimers at once over every kind of job and tenant, for as many seconds as CLAIMERS_SECONDS says (60).
///
/// Alone in its process: it measures waits.
@Suite("Eight claimers at once")
struct EightClaimersTests {
    @Test func `eight claimers are fair, pass no limit, and take no job twice`() async throws {
        let words = ProcessInfo.processInfo.environment["CLAIMERS_SECONDS"] ?? ""
        let seconds = Double(words) ?? 60
        try await Fixture.lend(lanes: 8) { fixture async throws in
            let town = try await Town.build(fixture)
            let ledger = Ledger(tenants: town.tenants)
            let claimers = (0..<8).map { _ in fixture.claimer(Town.slotsEach) }
            let listener = Listener(
                try DatabaseConfiguration(conninfo: fixture.url, applicationName: "test", lanes: 1),
                channels: ["jobrunner_due"])
            await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await town.tell(listener, to: claimers) }
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
            for (tenant, wait) in try await town.left(fixture) {
                ledger.left(tenant, waiting: wait)
            }
            ledger.judge(town, seconds: seconds)
        }
    }
}

/// A tenant of the town, and what is expected of it.
private struct Citizen: Sendable {
    enum Kind: Sendable { case busy, small, limited, paused }

    var id: Int64
    var name: String
    var kind: Kind
    var weight: Int
    var users: Int
}

/// The tenants, and what goes on.
private struct Town: Sendable {
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
            tenants.append(Citizen(id: id, name: name, kind: kind, weight: weight, users: users))
        }
        for number in 1...12 {
            try await add(
                "busy\(number)", .busy, users: 60, weight: number <= 6 ? 1 : number <= 9 ? 2 : 4)
        }
        for number in 1...20 { try await add("small\(number)", .small, users: 5) }
        for number in 1...4 {
            try await add("limited\(number)", .limited, users: 30, limit: number == 4 ? 2 : 1)
        }
        for number in 1...2 { try await add("paused\(number)", .paused, users: 10) }
        try await fixture.script(
            """
            update jobrunner.jobs as j set every = '1 s', phase = '0 s', due_at = now()
            from jobrunner.tenants as t
            where t.id = j.tenant_id and t.name ~ '^(busy|limited|paused)';
            update jobrunner.jobs set due_at = now() + interval '1 h'
            where tenant_id in (select id from jobrunner.tenants where name ~ '^small');
            update jobrunner.jobs as j
            set paused_at = case when u.key = 'u5' and t.name ~ '1$' then now() end,
              reauth_needed_at = case when u.key = 'u5' and t.name ~ '2$' then now() end,
              quarantined_at = case when u.key = 'u5' and t.name ~ '3$' then now() end,
              quarantine_reason = case when u.key = 'u5' and t.name ~ '3$' then 'test' end,
              due_at = case when t.name ~ '3$' then now() + interval '1 h' else now() - interval '1 min' end
            from jobrunner.users as u, jobrunner.tenants as t
            where u.id = j.user_id and t.id = j.tenant_id and u.key = 'u5' and t.name ~ '^small(1|2|3)$';
            update jobrunner.tenants set paused_at = now() where name ~ '^paused';
            """)
        return Town(tenants: tenants)
    }

    func tell(_ listener: Listener, to claimers: [Claimer]) async {
        for await event in listener.events {
            guard case .notification(_, let payload) = event else { continue }
            let parts = payload.split(separator: ":", omittingEmptySubsequences: false)
            for claimer in claimers {
                if let time = Int64(parts[0]) { claimer.note(dueFrom: time) }
                if parts.count > 1, let tenant = Int64(parts[1]) { claimer.note(lifted: tenant) }
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
                        claimer.noteEnd(of: job)
                        free.add(1)
                        _ = try await fixture.finish(job.claim)
                        _ = claimer.noteWritten()
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
                ledger.pause(isPaused)
                try await fixture.script(
                    isPaused
                        ? "select jobrunner.pause_jobs('paused1')"
                        : "select jobrunner.resume_jobs('paused1')")
            }
            if step % 70 == 0 {
                let most = Int.random(in: 1...3)
                ledger.limitChanges("limited4")
                try await fixture.script(
                    "select jobrunner.set_tenant('limited4', in_max_running => \(most))")
                ledger.limitChanges("limited4")
            }
            try await Task.sleep(for: .milliseconds(80))
        }
    }

    /// Counts in the database itself what runs of limited tenants.
    func watch(_ fixture: Fixture, _ ledger: Ledger) async throws {
        while !Task.isCancelled {
            let began = ContinuousClock.now
            let rows = try await fixture.database.run { session in
                try session.query(
                    Statement(
                        """
                        select t.name, t.max_running, count(*)
                        from jobrunner.tenants as t
                        join jobrunner.jobs as j on j.tenant_id = t.id and j.worker_id is not null
                        where t.max_running is not null
                        group by t.id
                        """)
                ).map { (try $0.text(0), try $0.int(1), try $0.int(2)) }
            }
            for (name, most, running) in rows {
                ledger.note(name, running: running, most: most, at: began)
            }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}

extension Town {
    /// What nobody has claimed when the time is over: of each tenant how long its oldest due job waits.
    fileprivate func left(_ fixture: Fixture) async throws -> [(tenant: Int64, seconds: Double)] {
        try await fixture.database.run { session in
            try session.query(
                Statement(
                    """
                    select j.tenant_id, extract(epoch from now() - min(j.due_at))::float8
                    from jobrunner.jobs as j
                    where j.claimable_at <= now() and j.state = 'waiting'
                    group by j.tenant_id
                    """)
            ).map { (Int64(try $0.int(0)), try $0.double(1)) }
        }
    }
}

/// What happened, and whether it is as it should be.
private final class Ledger: Sendable {
    private struct State {
        var held: Set<String> = []
        var slotTime: [Int64: Double] = [:]
        var waits: [Int64: [Double]] = [:]
        var claims = 0
        var changes: [String: ContinuousClock.Instant] = [:]
        var pausedSince: ContinuousClock.Instant? = .now
        /// Of each tenant: due times and claims of jobs that nobody asked for, in the order of claims.
        var order: [Int64: [(due: Int64, claimed: Int64)]] = [:]
    }

    /// Until then the claimers find one another's backlog.
    private static let warmUp = Duration.seconds(8)
    private let start = ContinuousClock.now
    private let kinds: [Int64: Citizen]
    private let state = Mutex(State())

    init(tenants: [Citizen]) {
        kinds = Dictionary(uniqueKeysWithValues: tenants.map { ($0.id, $0) })
    }

    func began(_ job: ClaimedJob, claimedAfter began: ContinuousClock.Instant) {
        let key = "\(job.claim.userID) \(job.claim.name)"
        let (isNew, pausedSince) = state.withLock { state in
            state.claims += 1
            if ContinuousClock.now - start > Self.warmUp {
                state.waits[job.tenantID, default: []].append(
                    Double(job.claimedAt - job.scheduledAt) / 1e6)
                if !job.isAsked {
                    state.order[job.tenantID, default: []].append((job.scheduledAt, job.claimedAt))
                }
            }
            return (state.held.insert(key).inserted, state.pausedSince)
        }
        #expect(isNew, "\(key) runs twice")
        if kinds[job.tenantID]?.name == "paused2" {
            Issue.record("a paused tenant's job was claimed")
        }
        if kinds[job.tenantID]?.name == "paused1", let pausedSince {
            #expect(began < pausedSince + .milliseconds(200), "a paused tenant's job was claimed")
        }
    }

    func ended(_ job: ClaimedJob, held: Double) {
        state.withLock { state in
            state.held.remove("\(job.claim.userID) \(job.claim.name)")
            if ContinuousClock.now - start > Self.warmUp {
                state.slotTime[job.tenantID, default: 0] += held
            }
        }
    }

    /// A job that was never claimed has waited, too.
    func left(_ tenant: Int64, waiting seconds: Double) {
        state.withLock { $0.waits[tenant, default: []].append(seconds) }
    }

    func pause(_ isPaused: Bool) {
        state.withLock { $0.pausedSince = isPaused ? .now : nil }
    }

    func limitChanges(_ name: String) { state.withLock { $0.changes[name] = .now } }

    /// What runs under a limit of before may end.
    func note(_ name: String, running: Int, most: Int, at time: ContinuousClock.Instant) {
        let changed = state.withLock { $0.changes[name] }
        if let changed, time - changed < .seconds(2) { return }
        #expect(running <= most, "\(name) runs \(running)")
    }

    func judge(_ town: Town, seconds: Double) {
        let state = state.withLock { $0 }
        let window = seconds - Self.warmUp / .seconds(1)
        let ideal = ideal(town, state.slotTime, window)
        for tenant in town.tenants where tenant.kind == .busy || tenant.kind == .limited {
            let had = (state.slotTime[tenant.id] ?? 0) / window
            let fair = ideal[tenant.id] ?? 0
            #expect(abs(had / fair - 1) < 0.1, "\(tenant.name) had \(had) slots of \(fair)")
            // All its other jobs may be before it.
            let rate = 0.9 * fair / 0.2
            let longest = state.waits[tenant.id]?.max() ?? .infinity
            #expect(
                longest <= Double(tenant.users) / rate + 1, "\(tenant.name) waited \(longest) s")
        }
        for tenant in town.tenants where tenant.kind == .small {
            let longest = state.waits[tenant.id]?.max() ?? 0
            #expect(longest <= Town.span.upperBound + 1, "\(tenant.name) waited \(longest) s")
        }
        for (tenant, claims) in state.order {
            #expect(
                passed(claims) == 0, "\(kinds[tenant]?.name ?? ""): jobs passed by younger ones")
        }
        print("claimers: \(state.claims) claims in \(seconds) s")
    }

    /// How many jobs were claimed more than a second after one of the same tenant that became due later.
    private func passed(_ claims: [(due: Int64, claimed: Int64)]) -> Int {
        let claims = claims.sorted { $0.claimed < $1.claimed }
        var early = 0
        var youngest = Int64.min
        return claims.count { claim in
            while claims[early].claimed < claim.claimed - 1_000_000 {
                youngest = max(youngest, claims[early].due)
                early += 1
            }
            return youngest > claim.due
        }
    }

    /// Max-min fairness by filling: all levels rise together by weight, who has what it wants stays, until no slot time is left.
    private func ideal(
        _ town: Town, _ slotTime: [Int64: Double], _ window: Double
    ) -> [Int64: Double] {
        var left = slotTime.values.reduce(0, +) / window
        var open = town.tenants
        var ideal: [Int64: Double] = [:]
        func wanted(_ tenant: Citizen) -> Double {
            switch tenant.kind {
            case .busy: .infinity
            case .limited: tenant.name == "limited4" ? (slotTime[tenant.id] ?? 0) / window : 1
            case .small, .paused: (slotTime[tenant.id] ?? 0) / window
            }
        }
        while true {
            let level = left / Double(open.reduce(0) { $0 + $1.weight })
            let content = open.filter { wanted($0) <= level * Double($0.weight) }
            for tenant in content {
                ideal[tenant.id] = wanted(tenant)
                left -= wanted(tenant)
            }
            open.removeAll { tenant in content.contains { $0.id == tenant.id } }
            if content.isEmpty {
                for tenant in open { ideal[tenant.id] = level * Double(tenant.weight) }
                return ideal
            }
        }
    }
}
