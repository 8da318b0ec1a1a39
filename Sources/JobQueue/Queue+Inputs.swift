public import JSON
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
