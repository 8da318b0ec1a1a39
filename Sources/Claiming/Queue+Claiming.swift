public import JobQueue
import Postgres

// The verbs that look and claim.
extension Queue {
    /// A look at what was not seen yet may take so long, for it may come to dead entries which no limit counts.
    private static let lookTime = Statement(
        "select set_config('statement_timeout', '1s', true)")

    /// What became due from a place on, taken if it fits.
    func claimNew(
        worker: Int, limit: Int, names: [String], _ look: DueFront.Look
    ) async throws -> (DueTenants, [ClaimedJob]) {
        let statement = Statement(
            """
            select now(), (c.due).*, j.*
            from jobrunner.claim_new($1, $2, $3, $4, $5) as c
            left join lateral unnest(c.jobs) as j on true
            """,
            .int4(Int32(clamping: worker)), .int4(Int32(clamping: limit)), .textArray(names),
            .timestamptz(look.start.time), .int8(look.start.user))
        let rows =
            look.isLong
            ? try await turn([Self.lookTime, statement])[1] : try await call(statement) { $0 }
        guard let first = rows.first else { throw QueueError.workerEnded }
        return (try DueTenants(first), try claimedJobs(rows, from: 12))
    }

    /// The greatest number of a tenant.
    func lastTenant() async throws -> Int64 {
        let statement = Statement("select coalesce(max(t.id), 0) from jobrunner.tenants as t")
        return try await call(statement) { Int64(try $0.only().int(0)) }
    }

    /// What is due of the next tenants by number.
    func lookAtTenants(
        names: [String], _ question: TenantRound.Question
    ) async throws -> DueTenants {
        let statement = Statement(
            "select now(), d.* from jobrunner.look_at_tenants($1, $2, $3, $4, $5) as d",
            .textArray(names), .int8(question.after), .int4(Int32(clamping: question.count)),
            .timestamptz(question.since), .timestamptz(question.until))
        return try DueTenants(
            try await turn([Self.lookTime, statement])[1].only(), countsUpTo: 3)
    }

    /// The oldest due jobs of some tenants.
    func claimOfTenants(
        worker: Int, names: [String], _ request: ClaimRequest
    ) async throws -> ClaimReply {
        let floors = request.parts.flatMap { part in Floors.lanes.map { part.floors[$0]?.position }
        }
        let statement = Statement(
            """
            select r.*, j.*
            from jobrunner.claim_of_tenants($1, $2, $3, $4, $5, $6, $7, $8) as c
            cross join lateral (
              select array(select r.tenant_id from unnest(c.restricted) as r),
                array(select r.room from unnest(c.restricted) as r), array(select r.state from unnest(c.restricted) as r)
              -- Once, and not again for each job.
              offset 0
            ) as r
            left join lateral unnest(c.jobs) as j on true
            """,
            .int4(Int32(clamping: worker)), .int4(Int32(clamping: request.limit)),
            .textArray(names), .int8Array(request.parts.map(\.tenant)),
            .int4Array(request.parts.map { Int32(clamping: $0.share) }),
            .int4Array(request.parts.map { Int32(clamping: $0.newShare) }),
            .timestamptzArray(floors.map { $0?.time ?? .max }),
            .int8Array(floors.map { $0?.user ?? 0 }))
        return try await call(statement) { rows in
            var reply = ClaimReply()
            guard let first = rows.first else { return reply }
            let (rooms, states) = (try first.intArray(1), try first.textArray(2))
            for (index, tenant) in try first.intArray(0).enumerated() {
                guard let state = states[index].flatMap(RemainingCapacity.State.init) else {
                    continue
                }
                reply.restricted.append(
                    RemainingCapacity(tenant: Int64(tenant), room: rooms[index], state: state))
            }
            reply.jobs = try claimedJobs(rows, from: 3)
            return reply
        }
    }

    /// A job that may have killed two workers; nil when there is none for this worker.
    func claimSuspect(worker: Int, names: [String]) async throws -> ClaimedJob? {
        let statement = Statement(
            "select j.* from unnest(jobrunner.claim_suspect($1, $2)) as j",
            .int4(Int32(clamping: worker)), .textArray(names))
        return try await call(statement) { try $0.first.map { try ClaimedJob($0) } }
    }

    /// Counts what runs towards limits that are new; one that a claim keeps for longer than 200 ms is left to the next
    /// time.
    ///
    /// Returns false where a claim under way was not over in time; true where they are counted, or others have their
    /// turns.
    @discardableResult
    public func activateLimits() async throws -> Bool {
        do {
            try await call(Statement("select jobrunner.activate_limits()")) { _ in }
            return true
        } catch let error as DatabaseError where error.isLockTimeout {
            return false
        }
    }

    /// Notes how long tenants held a worker's slots.
    func storeSlotUse(worker: Int, _ report: SlotUse.Report) async throws {
        let statement = Statement(
            "select jobrunner.store_slot_use($1, $2, $3, $4)", .int4(Int32(clamping: worker)),
            .int8Array(report.tenants.map(\.id)),
            .int8Array(report.tenants.map { Int64($0.seconds * 1000) }),
            .int8(Int64(report.others * 1000)))
        try await call(statement) { _ in }
    }
}

/// The jobs beside what is told once; without any there is a row without a job.
private func claimedJobs(_ rows: Rows, from column: Int) throws -> [ClaimedJob] {
    guard let first = rows.first, !(try first.isNull(.index(column))) else { return [] }
    return try rows.map { try ClaimedJob($0, from: column) }
}

extension DueTenants {
    /// Reads the time and the columns of type `due_tenants`.
    ///
    /// `countsUpTo`: a greater count is no whole one; nil when all that the look came to is counted.
    fileprivate init(_ row: Row, countsUpTo most: Int? = nil) throws {
        now = try row.timestamp(0)
        reached = DuePosition(
            time: try row.optionalTimestamp(1) ?? .min,
            user: Int64(try row.optionalInt(2) ?? .min))
        isCut = try row.bool(3)
        guard !(try row.isNull(4)) else { return }
        let (tenants, lanes) = (try row.intArray(4), try row.intArray(5))
        let (counts, times) = (try row.intArray(6), try row.timestampArray(7))
        let users = try row.intArray(8)
        for index in tenants.indices {
            found.append(
                Found(
                    tenant: Int64(tenants[index]), lane: Lane(rawValue: lanes[index]) ?? .due,
                    count: most.map { counts[index] > $0 } ?? false ? nil : counts[index],
                    first: DuePosition(time: times[index] ?? .min, user: Int64(users[index]))))
        }
        guard !(try row.isNull(9)) else { return }
        for (tenant, weight) in zip(try row.intArray(9), try row.intArray(10)) {
            weights[Int64(tenant)] = weight
        }
    }
}
