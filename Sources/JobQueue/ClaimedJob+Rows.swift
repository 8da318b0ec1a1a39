import Basics
import JSON
public import Postgres

extension ClaimedJob {
    /// Reads the columns of type `claimed_job`, by position, from column `first` on.
    public init(_ row: Row, from first: Int = 0) throws {
        func column(_ number: Int) -> Column { .index(first + number) }
        claim = Claim(
            userID: Int64(try row.int(column(0))), name: try row.text(column(1)),
            fence: Int64(try row.int(column(3))), nonce: try row.uuid(column(4)))
        tenantID = Int64(try row.int(column(2)))
        scheduledAt = try row.timestamp(column(5))
        claimedAt = try row.timestamp(column(6))
        tickAt = try row.timestamp(column(7))
        deadline = .milliseconds(try row.int(column(8)))
        lane = Lane(rawValue: try row.int(column(9))) ?? .due
        isForced = try row.bool(column(10))
        entity = try row.optionalText(column(11))
        lastOutcome = try row.optionalText(column(12)).flatMap(Outcome.init(rawValue:))
        lastSuccessAt = try row.optionalTimestamp(column(13))
        unchangedAt = try row.optionalTimestamp(column(14))
        place = try row.optionalPlace(column(15))
    }

    /// Reads its row of `run_inputs`.
    ///
    /// What of it can't be read is noted: it is this job's trouble and no other's.
    mutating func readInputs(_ row: Row) throws {
        tenantName = try row.text(1)
        userKey = try row.text(2)
        do {
            if let words = try row.optionalText(7) { throw UnreadableInput(tooLong: words) }
            if let text = try row.optionalText(3) {
                attributes = try own(text, "the user's attributes").value ?? .object([])
            }
            checkpoints = try checkpoints(in: row.optionalText(4))
            calls = try parts(row.optionalText(5), "calls").compactMap(CallMemory.init)
            secrets = try sealedSecrets(row.optionalText(6))
        } catch let input as UnreadableInput {
            unreadable = input.words
        }
    }

    /// Reads a list of checkpoints as `checkpoint_inputs` tells them; throws `UnreadableInput`.
    func checkpoints(in text: String?) throws -> [Checkpoint] {
        try parts(text, "checkpoints").map { try Checkpoint($0, of: self) }
    }

    fileprivate func age(since time: Int64?) -> Duration? {
        time.map { .microseconds(max(0, claimedAt - $0)) }
    }
}

/// Why a job can't be given what it must know; names the column, never its value.
struct UnreadableInput: Error {
    var words: String

    init(_ words: String) { self.words = words }

    init(tooLong words: String) {
        self.init("\(words), which is more than a run is given")
    }
}

/// Parses what the database made, which is valid by construction and may be as long as a row.
func parse(_ text: String) throws -> JSONNode {
    let limits = JSONLimits(
        depth: JSONLimits.depthMax, nodes: .max, numberBytes: .max)
    return try JSONDocument(parsing: Array(text.utf8), limits: limits).root
}

/// Parses one of a job's inputs.
private func own(_ text: String, _ name: String) throws -> JSONNode {
    do {
        return try parse(text)
    } catch {
        throw UnreadableInput("\(name) can't be read: \(error)")
    }
}

/// Reads a list of secrets as `run_inputs` and `sealed_secrets` tell them.
func sealedSecrets(_ text: String?) throws -> [SealedSecret] {
    try parts(text, "secrets").compactMap(SealedSecret.init)
}

private func parts(_ text: String?, _ name: String) throws -> [JSONNode] {
    guard let text else { return [] }
    return Array(try own(text, "the job's \(name)").elements)
}

extension Checkpoint {
    /// Reads one of `checkpoints`, whose members are named after the columns.
    fileprivate init(_ node: JSONNode, of job: ClaimedJob) throws {
        guard let entity = node["entity"]?.string else {
            throw UnreadableInput("a checkpoint can't be read")
        }
        self.init(entity: entity)
        do {
            position = try PassPosition(node)
        } catch {
            throw unreadable(error.name)
        }
        guard position.passNumber < Int32.max else {
            throw UnreadableInput("pass_number in the checkpoint of entity \(entity) has no next")
        }
        func says(_ name: String) -> Bool { node[name]?.bool ?? false }
        isFullRequested = says("full_requested")
        isRepairRequested = says("repair_requested")
        isFullUnderWay = says("is_full_under_way")
        isCursorRefused = says("is_cursor_refused")
        hasFailures = says("has_failures")
        isSkipped = says("is_skipped")
        hadIncompatible = says("had_incompatible")
        knowsAhead = says("knows_ahead")
        isColumnDue = says("is_column_due")
        fruitlessRuns = node["fruitless_runs"]?.int ?? 0
        troubles = StandingTrouble.read(node["troubles"])
        unread = node["unread"].flatMap { $0.kind == .null ? nil : $0.value }
        let notedAt = try time(node, "last_synced_us")
        let syncedAt = notedAt.map { max($0, job.unchangedAt ?? $0) }
        notedAge = job.age(since: notedAt)
        syncedAge = job.age(since: syncedAt)
        lastFullAge = job.age(since: try time(node, "last_full_us"))
        isDone = isDone(at: syncedAt, of: job)
    }

    /// Microseconds since 1970; an infinite time is none that a pass could be compared with.
    private func time(_ node: JSONNode, _ name: String) throws -> Int64? {
        guard let node = node[name], let time = Int64?(node) else { throw unreadable(name) }
        return time
    }

    /// Names the column as the table does; times come in microseconds under a name of their own.
    private func unreadable(_ name: String) -> UnreadableInput {
        let isTime = name.hasSuffix("_us")
        let column = isTime ? "\(name.dropLast(3))_at" : name
        return UnreadableInput(
            "\(column) in the checkpoint of entity \(entity) \(isTime ? "is no time" : "can't be read")"
        )
    }

    /// Read to its end at this very tick, by a run that was interrupted behind it.
    private func isDone(at syncedAt: Int64?, of job: ClaimedJob) -> Bool {
        guard let syncedAt, !job.isAsked, let outcome = job.lastOutcome, outcome != .complete,
            position.passKind == nil, !isFullRequested, !isRepairRequested,
            lastFullAge != nil || position.watermark != nil || position.syncToken != nil
        else { return false }
        return syncedAt > job.lastSuccessAt ?? .min && syncedAt >= job.tickAt
    }
}

extension CallMemory {
    /// Reads one of `calls`.
    init?(_ node: JSONNode) {
        let values = Array(node.elements)
        guard values.count == 3, let call = values[0].string else { return nil }
        self.call = call
        listHash = values[1].string
        age = .milliseconds(values[2].int ?? 0)
    }
}

extension SealedSecret {
    /// Reads one of `secrets`.
    init?(_ node: JSONNode) {
        let values = Array(node.elements)
        guard values.count == 5, let name = values[1].string,
            let bytes = Hex.decode(values[2].string ?? "")
        else { return nil }
        userID = Int64(values[0].int ?? 0)
        self.name = name
        sealed = bytes
        version = Int64(values[3].int ?? 0)
        revision = Int64(values[4].int ?? 0)
    }
}
