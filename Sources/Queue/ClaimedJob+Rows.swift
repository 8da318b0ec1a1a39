import JSON
import Postgres

extension ClaimedJob {
    /// Reads one row of `claim_jobs` or `read_job`: the columns of type `claimed_job`, by position.
    init(_ row: Row) throws {
        claim = Claim(
            userID: Int64(try row.int(0)), name: try row.text(1), fence: Int64(try row.int(3)),
            nonce: try row.uuid(4))
        tenantID = Int64(try row.int(2))
        scheduledAt = try row.timestamp(5)
        claimedAt = try row.timestamp(6)
        tickAt = try row.timestamp(7)
        deadline = .milliseconds(try row.int(8))
        isAsked = try row.bool(9)
        isForced = try row.bool(10)
        entity = try row.optionalText(11)
        lastOutcome = try row.optionalText(12).flatMap(Outcome.init(rawValue:))
        lastSuccessAt = try row.optionalTimestamp(13)
        unchangedAt = try row.optionalTimestamp(14)
    }

    /// Reads its row of `run_inputs`.
    mutating func readInputs(_ row: Row) throws {
        tenantName = try row.text(1)
        userKey = try row.text(2)
        if !(try row.isNull(3)) { attributes = try parse(row.json(3)).value ?? .object([]) }
        if !(try row.isNull(4)) {
            checkpoints = try parse(row.json(4)).elements.compactMap { Checkpoint($0, of: self) }
        }
        if !(try row.isNull(5)) {
            calls = try parse(row.json(5)).elements.compactMap(CallMemory.init)
        }
        if !(try row.isNull(6)) {
            secrets = try parse(row.json(6)).elements.compactMap(SealedSecret.init)
        }
    }

    fileprivate func age(since time: Int64?) -> Duration? {
        time.map { .microseconds(max(0, claimedAt - $0)) }
    }
}

/// Parses what the database made, which is valid by construction.
func parse(_ text: String) throws -> JSONNode {
    try JSONDocument(parsing: Array(text.utf8)).root
}

extension Checkpoint {
    /// Reads one of `checkpoints`, an array of values in the order of `run_inputs`.
    init?(_ node: JSONNode, of job: ClaimedJob) {
        let values = Array(node.elements)
        guard values.count == 22, let entity = values[0].string else { return nil }
        self.init(entity: entity)
        generation = Int64(values[1].int ?? 0)
        isFullRequested = values[2].bool ?? false
        passKind = values[3].string.flatMap(PassKind.init(rawValue:))
        passStartedAt = values[4].int.map(Int64.init)
        passSince = values[5].string
        pageNumber = values[6].int ?? 0
        cursor = values[7].string
        syncToken = values[8].string
        partialWatermark = values[9].string
        watermark = values[10].string
        isWhole = values[11].bool ?? true
        validator = values[12].string
        probe = values[13].string
        passValidator = values[14].string
        passProbe = values[15].string
        isRepairRequested = values[16].bool ?? false
        let passEndedAt = values[17].int.map(Int64.init)
        let syncedAt = passEndedAt.map { max($0, job.unchangedAt ?? $0) }
        syncedAge = job.age(since: syncedAt)
        lastFullAge = job.age(since: values[18].int.map(Int64.init))
        hasFailures = values[19].bool ?? true
        passNumber = values[20].int ?? 0
        wish = values[21].int ?? 0
        isDone = isDone(at: syncedAt, of: job)
    }

    /// Read to its end at this very tick, by a run that was interrupted behind it (ST7).
    private func isDone(at syncedAt: Int64?, of job: ClaimedJob) -> Bool {
        guard let syncedAt, !job.isAsked, let outcome = job.lastOutcome, outcome != .complete,
            passKind == nil, !isFullRequested, !isRepairRequested,
            lastFullAge != nil || watermark != nil || syncToken != nil
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
        guard values.count == 4, let name = values[1].string, let hex = values[2].string,
            let bytes = [UInt8](hexadecimal: hex)
        else { return nil }
        userID = Int64(values[0].int ?? 0)
        self.name = name
        sealed = bytes
        version = Int64(values[3].int ?? 0)
    }
}

extension [UInt8] {
    /// Nil unless the text is pairs of hexadecimal digits.
    init?(hexadecimal text: String) {
        let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count.isMultiple(of: 2) else { return nil }
        self = []
        reserveCapacity(digits.count / 2)
        for pair in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[pair], let low = digits[pair + 1] else { return nil }
            append(UInt8(high << 4 | low))
        }
    }
}
