import Postgres

/// What runs of one job file can make use of, so that a claim reads nothing else for them.
public struct RunNeeds: OptionSet, Sendable {
    /// The bits of `in_reads` of `run_inputs`.
    public let rawValue: Int32

    /// The bits as they are.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// How far each entity has come.
    public static let checkpoints = RunNeeds(rawValue: 1)
    /// What is remembered of named calls.
    public static let calls = RunNeeds(rawValue: 2)
    /// Sealed secrets.
    public static let secrets = RunNeeds(rawValue: 4)
    /// Everything.
    public static let all: RunNeeds = [.checkpoints, .calls, .secrets]
}

extension Queue {
    /// One statement of a claim: what of the offers, or of all that became due, fits.
    func claimHelping(
        worker: Int, names: [String], _ ticket: ClaimTicket
    ) async throws -> Helping {
        let statement = Statement(
            """
            select *
            from jobrunner.claim_jobs(
              $1, $2, $3, row($4, $5, $6, $7, $8)::jobrunner.due_walk,
              row($10, $11, $12, $13, $14)::jobrunner.claim_offer, in_locks => $9
            )
            """,
            binds: [
                .int4(Int32(clamping: worker)), .int4(Int32(clamping: ticket.limit)),
                .textArray(names), .timestamptz(ticket.start.time), .int8(ticket.start.user),
                .timestamptz(ticket.end?.time ?? .max), .int4(Int32(clamping: ticket.lookMax)),
                .bool(ticket.look == .take), .bool(ticket.locks),
            ] + (ticket.locks ? tenants(of: ticket.offers) : places(of: ticket.offers)))
        do {
            return try await call(statement) { try Helping($0) }
        } catch let error as DatabaseError where error.isLockTimeout && !ticket.locks {
            var helping = Helping()
            helping.isContended = true
            return helping
        }
    }

    /// Of each tenant its share, and where its jobs stand among all.
    private func tenants(of offers: [ClaimTicket.Offer]) -> [Bind] {
        var lasts: [Int32] = []
        for offer in offers { lasts.append((lasts.last ?? 0) + Int32(clamping: offer.jobs.count)) }
        return [
            .int8Array(offers.map(\.tenant)),
            .int4Array(offers.map { Int32(clamping: $0.share) }),
            .int4Array(zip(offers, lasts).map { $1 - Int32(clamping: $0.jobs.count) + 1 }),
            .int4Array(lasts), .rowPlaceArray(offers.flatMap { $0.jobs.map(\.place) }),
        ]
    }

    /// Of each job its tenant.
    private func places(of offers: [ClaimTicket.Offer]) -> [Bind] {
        [
            .int8Array(offers.flatMap { Array(repeating: $0.tenant, count: $0.jobs.count) }),
            .int4Array([]), .int4Array([]), .int4Array([]),
            .rowPlaceArray(offers.flatMap { $0.jobs.map(\.place) }),
        ]
    }

    /// Looks whether something became due behind a position; returns until when it looked if nothing did.
    ///
    /// It looks at nothing that became due in the last `grace`.
    func nothingDue(
        since start: DueJobs.Position, grace: Duration
    ) async throws -> Int64? {
        let statement = Statement(
            "select * from jobrunner.nothing_due($1, $2, make_interval(secs => $3))",
            .timestamptz(start.time), .int8(start.user), .double(grace / .seconds(1)))
        return try await call(statement) { try $0.first?.timestamp(0) }
    }

    /// Reads what the runs must know of the past into the claimed jobs, in one statement.
    ///
    /// What the server can't give of one job is asked for job by job, so that the others run.
    func readInputs(of jobs: inout [ClaimedJob], _ files: [String: RunNeeds]) async throws {
        guard !jobs.isEmpty else { return }
        do {
            jobs = try await withInputs(jobs, files)
        } catch let error as DatabaseError where error.isOfWhatIsStored {
            var read: [ClaimedJob] = []
            for job in jobs { read += try await alone(job, files) }
            jobs = read
        }
    }

    private func alone(
        _ job: ClaimedJob, _ files: [String: RunNeeds]
    ) async throws -> [ClaimedJob] {
        do {
            return try await withInputs([job], files)
        } catch let error as DatabaseError where error.isOfWhatIsStored {
            var job = job
            job.unreadable = "the server can't give what is stored for the run: \(error)"
            return [job]
        }
    }

    private func withInputs(
        _ jobs: [ClaimedJob], _ files: [String: RunNeeds]
    ) async throws -> [ClaimedJob] {
        let statement = Statement(
            "select * from jobrunner.run_inputs($1, $2, $3)", .int8Array(jobs.map(\.claim.userID)),
            .textArray(jobs.map(\.claim.name)),
            .int4Array(jobs.map { files[$0.claim.name, default: .all].rawValue }))
        let rows = try await call(statement) { $0 }
        // A user that was removed meanwhile has no row, and its job is nobody's any more.
        return try rows.map { row in
            var job = jobs[try row.int(0) - 1]
            try job.readInputs(row)
            return job
        }
    }
}

extension DatabaseError {
    /// A stored value is out of range, or longer than the server can write out.
    fileprivate var isOfWhatIsStored: Bool {
        guard let sqlstate, case .server = code else { return false }
        return isDataError || sqlstate.hasPrefix("54") || ["53200", "XX000"].contains(sqlstate)
    }
}
