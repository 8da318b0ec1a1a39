import JobQueue

/// The tenants of whom something is due, as far as looks have told, and from where on in each of their lanes.
///
/// A floor says that nothing waits before it that this worker may claim, so that a claim does not walk over what runs and
/// what has ended. A look that finds something before a floor lowers it, and so does the news of a tenant's own jobs:
/// docs/decisions/0049 lists why every job that comes to wait before a floor is seen by one of them.
struct TenantBacklog: Sendable {
    private(set) var tenants: [Int64: Floors] = [:]

    var isEmpty: Bool { tenants.isEmpty }

    /// How many jobs of a tenant may wait.
    func count(of tenant: Int64) -> Int {
        guard let floors = tenants[tenant] else { return 0 }
        return floors.count ?? .max
    }

    /// Takes in what a look has found.
    mutating func add(_ found: [DueTenants.Found]) {
        for lane in found {
            var floors = tenants[lane.tenant] ?? Floors(count: 0)
            floors[lane.lane] = min(floors[lane.lane] ?? lane.first, lane.first)
            // What was found before counts twice, which costs a turn at most.
            floors.count = floors.count.flatMap { known in lane.count.map { known + $0 } }
            tenants[lane.tenant] = floors
        }
    }

    /// Jobs of a tenant are due from `time` on that were not before.
    mutating func add(_ tenant: Int64, from time: Int64) {
        var floors = tenants[tenant] ?? Floors()
        for lane in [Lane.asked, .due, .new] {
            floors[lane] = min(floors[lane] ?? .from(time), .from(time))
        }
        floors.count = nil
        tenants[tenant] = floors
    }

    /// Raises the floors over what a claim has taken of a tenant, in the order in which it takes: lane by lane, the oldest first.
    ///
    /// `share`: the most it might take. A floor that was lowered while the claim was under way stays. Returns whether nothing of
    /// the tenant is left.
    mutating func take(
        _ jobs: [(lane: Lane, position: DuePosition)], of part: ClaimRequest.Part, share: Int
    ) -> Bool {
        guard var floors = tenants[part.tenant] else { return true }
        floors.count = floors.count.map { max(0, $0 - jobs.count) }
        let stop = jobs.count >= share ? jobs.last : nil
        for lane in [Lane.asked, .due, .new] {
            let last = jobs.last { $0.lane == lane }?.position
            if let now = floors[lane], now < part.floors[lane] ?? .end {
                floors.count = nil
            } else if let stop, lane.rawValue <= stop.lane.rawValue {
                // It has stopped in this lane, or before it.
                floors[lane] = lane == stop.lane ? last : floors[lane]
            } else if lane == .new, jobs.count(where: { $0.lane == .new }) >= part.newShare {
                floors.new = last ?? floors.new
            } else {
                floors[lane] = nil
            }
        }
        return keep(floors, of: part.tenant)
    }

    private mutating func keep(_ floors: Floors, of tenant: Int64) -> Bool {
        let isNothingLeft = floors.isEmpty || floors.count == 0
        tenants[tenant] = isNothingLeft ? nil : floors
        return isNothingLeft
    }

    /// Nothing of a tenant may be claimed until somebody says so.
    mutating func remove(_ tenant: Int64) { tenants[tenant] = nil }
}
