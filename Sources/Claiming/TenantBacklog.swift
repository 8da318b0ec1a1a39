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
            var floors = tenants[lane.tenant] ?? Floors()
            let known = floors[lane.lane] ?? Floors.Floor(position: lane.first, count: 0)
            floors[lane.lane] = Floors.Floor(
                position: min(known.position, lane.first),
                // What was found before counts twice, which costs a turn at most.
                count: known.count.flatMap { count in lane.count.map { count + $0 } })
            tenants[lane.tenant] = floors
        }
    }

    /// Jobs of a tenant are due from `time` on that were not before.
    mutating func add(_ tenant: Int64, from time: Int64) {
        var floors = tenants[tenant] ?? Floors()
        for lane in Floors.lanes {
            let known = floors[lane]?.position ?? .from(time)
            floors[lane] = Floors.Floor(position: min(known, .from(time)), count: nil)
        }
        tenants[tenant] = floors
    }

    /// Raises the floors over what a claim has taken of a tenant, in the order in which it takes: lane by lane, the oldest first.
    ///
    /// `share`: the most it might take. Returns whether nothing of the tenant is left.
    mutating func take(
        _ jobs: [(lane: Lane, position: DuePosition)], of part: ClaimRequest.Part, share: Int
    ) -> Bool {
        guard var floors = tenants[part.tenant] else { return true }
        let stop = jobs.count >= share ? jobs.last : nil
        for lane in Floors.lanes {
            guard let floor = floors[lane] else { continue }
            let taken = jobs.filter { $0.lane == lane }
            if let stop, lane.rawValue > stop.lane.rawValue {
                // Nothing more of the lane was there.
                floors[lane] = nil
            } else if stop?.lane == lane || lane == .new && taken.count >= part.newShare {
                floors[lane] =
                    taken.last.map { raise(floor, over: taken.count, upTo: $0.position) } ?? floor
            } else if stop == nil {
                floors[lane] = nil
            }
        }
        tenants[part.tenant] = floors.isEmpty ? nil : floors
        return floors.isEmpty
    }

    /// Returns the floor behind the last job that was taken, or nil when all that looks have counted was taken.
    ///
    /// If the claim took more jobs than were counted, the count is stale: it is unknown from then on.
    private func raise(
        _ floor: Floors.Floor, over taken: Int, upTo last: DuePosition
    ) -> Floors.Floor? {
        let left = floor.count.flatMap { $0 < taken ? nil : $0 - taken }
        return left == 0 ? nil : Floors.Floor(position: last, count: left)
    }

    /// Nothing of a tenant may be claimed until somebody says so.
    mutating func remove(_ tenant: Int64) { tenants[tenant] = nil }
}
