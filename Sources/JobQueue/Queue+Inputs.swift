public import JSON
import Postgres

/// What runs of one job file can make use of, so that a claim reads nothing else for them.
public struct RunNeeds: Sendable {
    /// How far each entity has come.
    public var checkpoints: Bool
    /// What is remembered of named calls.
    public var calls: Bool
    /// The secrets of these names, of which alone the sealed values are given; nil means all.
    public var secrets: [String]?

    /// Says what is read.
    public init(checkpoints: Bool, calls: Bool, secrets: [String]?) {
        self.checkpoints = checkpoints
        self.calls = calls
        self.secrets = secrets
    }

    /// Everything.
    public static let all = RunNeeds(checkpoints: true, calls: true, secrets: nil)

    /// Nothing.
    public static let nothing = RunNeeds(checkpoints: false, calls: false, secrets: [])

    /// The bits of `in_reads` of `run_inputs`.
    fileprivate var bits: Int32 {
        (checkpoints ? 1 : 0) + (calls ? 2 : 0) + (secrets == [] ? 0 : 4)
    }
}

extension Queue {
    /// Reads what the runs must know of the past into the claimed jobs, in one statement.
    ///
    /// What the server can't give of one job is asked for job by job, so that the others run.
    public func readInputs(of jobs: inout [ClaimedJob], _ files: [String: RunNeeds]) async throws {
        guard !jobs.isEmpty else { return }
        do {
            jobs = try await withInputs(jobs, files)
        } catch let error as DatabaseError where error.isOfWhatIsStored {
            var read: [ClaimedJob] = []
            for job in jobs { read += try await alone(job, files) }
            jobs = read
        }
    }

    /// Makes an attribute that a user lacks, a random UUID; returns what the user has by now.
    public func makeAttribute(
        _ name: String, of user: Int64, deadline: ContinuousClock.Instant
    ) async throws -> JSONValue {
        let statement = Statement(
            "select jobrunner.make_attribute($1, $2)", .int8(user), .text(name))
        let text = try await call(statement, deadline: deadline) { try $0.only().text(0) }
        return try JSONDocument(parsing: Array(text.utf8)).root.value ?? .null
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
            "select * from jobrunner.run_inputs($1, $2, $3, $4)",
            .int8Array(jobs.map(\.claim.userID)), .textArray(jobs.map(\.claim.name)),
            .int4Array(jobs.map { files[$0.claim.name, default: .all].bits }),
            .textArray(
                jobs.map { files[$0.claim.name, default: .all].secrets?.joined(separator: " ") }))
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
