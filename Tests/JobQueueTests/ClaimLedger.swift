import Claiming
import JobQueue
import Synchronization
import Testing

/// What happened, and whether it is as it should be.
final class Ledger: Sendable {
    /// A job that was claimed, or is due when the time is over; times in microseconds of the database's clock.
    private struct Claimed {
        var tenant: Int64
        var due: Int64
        var claimed: Int64
        var isAsked = false
        /// Whether the claimers had found one another's backlog by then.
        var counts = true
    }

    /// A limit, and when it may have been in force.
    private struct Limit {
        var most: Int
        var from: Int64
        var to: Int64
    }

    private struct State {
        var held: Set<String> = []
        var slotTime: [Int64: Double] = [:]
        var claims: [Claimed] = []
        var limits: [String: [Limit]] = [:]
        var pausedSince: ContinuousClock.Instant? = .now
    }

    /// Until then the claimers find one another's backlog.
    private static let warmUp = Duration.seconds(8)
    /// As many claims as all slots make in a second on a machine that has nothing else to do.
    private static let second = 8 * Town.slotsEach * 5
    private let start = ContinuousClock.now
    private let kinds: [Int64: Citizen]
    private let state = Mutex(State())

    init(tenants: [Citizen]) {
        kinds = Dictionary(uniqueKeysWithValues: tenants.map { ($0.id, $0) })
        state.withLock { state in
            for tenant in tenants {
                guard let limit = tenant.limit else { continue }
                state.limits[tenant.name] = [Limit(most: limit, from: 0, to: .max)]
            }
        }
    }

    func began(_ job: ClaimedJob, claimedAfter began: ContinuousClock.Instant) {
        let key = "\(job.claim.userID) \(job.claim.name)"
        let isWarm = ContinuousClock.now - start > Self.warmUp
        let (isNew, pausedSince) = state.withLock { state in
            state.claims.append(
                Claimed(
                    tenant: job.tenantID, due: job.scheduledAt, claimed: job.claimedAt,
                    isAsked: job.isAsked, counts: isWarm))
            return (state.held.insert(key).inserted, state.pausedSince)
        }
        #expect(isNew, "\(key) runs twice")
        if kinds[job.tenantID]?.name == "paused2" {
            Issue.record("a paused tenant's job was claimed")
        }
        if kinds[job.tenantID]?.name == "paused1", let pausedSince {
            #expect(began < pausedSince, "a paused tenant's job was claimed")
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
    func left(_ tenant: Int64, due: Int64) {
        state.withLock {
            $0.claims.append(Claimed(tenant: tenant, due: due, claimed: .max, isAsked: true))
        }
    }

    func pause(_ isPaused: Bool) {
        state.withLock { $0.pausedSince = isPaused ? .now : nil }
    }

    /// The change was made between two moments.
    func limitChanges(_ name: String, to most: Int, from: Int64, by end: Int64) {
        state.withLock { state in
            var limits = state.limits[name] ?? []
            limits[limits.count - 1].to = end
            limits.append(Limit(most: most, from: from, to: .max))
            state.limits[name] = limits
        }
    }

    /// What began under a limit of before may end, so the greatest since the oldest run began holds.
    func note(_ name: String, running: Int, most: Int, oldest: Int64) {
        let limits = state.withLock { $0.limits[name] ?? [] }
        let greatest = limits.filter { $0.to >= oldest }.map(\.most).max() ?? most
        #expect(running <= max(most, greatest), "\(name) runs \(running)")
    }

    func judge(_ town: Town, seconds: Double) {
        let state = state.withLock { $0 }
        let window = seconds - Self.warmUp / .seconds(1)
        let ideal = ideal(town, state.slotTime, window)
        let all = ideal.values.reduce(0, +)
        let waits = waits(state.claims)
        for tenant in town.tenants where tenant.kind == .busy || tenant.kind == .limited {
            let had = (state.slotTime[tenant.id] ?? 0) / window
            let fair = ideal[tenant.id] ?? 0
            #expect(abs(had / fair - 1) < 0.25, "\(tenant.name) had \(had) slots of \(fair)")
            // All its other jobs may be before it.
            let longest = waits[tenant.id] ?? .max
            let most = Int(Double(tenant.users) / (0.75 * fair / all)) + Self.second
            #expect(longest <= most, "\(tenant.name) waited for \(longest) claims of \(most)")
        }
        for tenant in town.tenants where tenant.kind == .small {
            let longest = waits[tenant.id] ?? 0
            // A run's time, and a second.
            let most = Int(Double(Self.second) * (1 + Town.span.upperBound))
            #expect(longest <= most, "\(tenant.name) waited for \(longest) claims of \(most)")
        }
        let own = Dictionary(
            grouping: state.claims.filter { $0.counts && !$0.isAsked }, by: \.tenant)
        for (tenant, claims) in own {
            let name = kinds[tenant]?.name ?? ""
            #expect(passed(claims, all: state.claims) == 0, "\(name): jobs passed by younger ones")
        }
        print("claimers: \(state.claims.count) claims in \(seconds) s")
    }

    /// Of each tenant the most claims that were made of any tenant's jobs while one of its own was due.
    private func waits(_ claims: [Claimed]) -> [Int64: Int] {
        let times = claims.map(\.claimed).sorted()
        var longest: [Int64: Int] = [:]
        for claim in claims where claim.counts {
            let wait = times.place(of: claim.claimed) - times.place(of: claim.due)
            longest[claim.tenant] = max(longest[claim.tenant] ?? 0, wait)
        }
        return longest
    }

    /// How many jobs were claimed after one of the same tenant that became due later, and more than a second's claims of all
    /// tenants after it.
    private func passed(_ claims: [Claimed], all: [Claimed]) -> Int {
        let times = all.map(\.claimed).sorted()
        let claims = claims.sorted { $0.claimed < $1.claimed }
        var early = 0
        var youngest = Int64.min
        return claims.count { claim in
            let place = times.place(of: claim.claimed)
            while times.place(of: claims[early].claimed) < place - Self.second {
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

extension [Int64] {
    /// How many elements of a sorted list are less than a value.
    fileprivate func place(of value: Int64) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
