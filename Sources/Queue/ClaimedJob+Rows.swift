import JSON
import Postgres

extension ClaimedJob {
    /// Reads one row of `claim_jobs`.
    init(_ row: Row) throws {
        claim = Claim(
            userID: Int64(try row.int("user_id")), name: try row.text("name"),
            fence: Int64(try row.int("fence")), nonce: try row.uuid("nonce"))
        tenantID = Int64(try row.int("tenant_id"))
        tenantName = try row.text("tenant_name")
        userKey = try row.text("user_key")
        claimedAt = try row.timestamp("claimed_at")
        deadline = .milliseconds(try row.int("deadline_ms"))
        isAsked = try row.bool("asked")
        isForced = try row.bool("forced")
        entity = try row.optionalText("entity")
        lastSuccessAt = try row.optionalTimestamp("last_success_at")
        attributes = try parse(row.json("attributes")).value ?? .object([])
        checkpoints = try parse(row.json("checkpoints")).elements.compactMap(Checkpoint.init)
        calls = try parse(row.json("calls")).elements.compactMap(CallMemory.init)
        secrets = try parse(row.json("secrets")).elements.compactMap(SealedSecret.init)
    }
}

/// Parses what the database made, which is valid by construction.
func parse(_ text: String) throws -> JSONNode {
    try JSONDocument(parsing: Array(text.utf8)).root
}

extension Checkpoint {
    /// Reads one element of `checkpoints`; nil without an entity.
    init?(_ node: JSONNode) {
        guard let entity = node["entity"]?.string else { return nil }
        self.init(entity: entity)
        generation = Int64(node["generation"]?.int ?? 0)
        isFullRequested = node["full_requested"]?.bool ?? false
        passKind = node["pass_kind"]?.string.flatMap(PassKind.init(rawValue:))
        passStartedAt = node["pass_started_us"]?.int.map(Int64.init)
        passSince = node["pass_since"]?.string
        pageNumber = node["page_number"]?.int ?? 0
        cursor = node["cursor"]?.string
        syncToken = node["sync_token"]?.string
        partialWatermark = node["partial_watermark"]?.string
        watermark = node["watermark"]?.string
        isWhole = node["pass_is_whole"]?.bool ?? true
        syncedAge = node["synced_age_ms"]?.int.map { .milliseconds($0) }
        lastFullAge = node["last_full_age_ms"]?.int.map { .milliseconds($0) }
        isDone = node["done"]?.bool ?? false
        validator = node["validator"]?.string
        probe = node["probe"]?.string
        passValidator = node["pass_validator"]?.string
        passProbe = node["pass_probe"]?.string
        isRepairRequested = node["repair_requested"]?.bool ?? false
    }
}

extension CallMemory {
    init?(_ node: JSONNode) {
        guard let call = node["call"]?.string else { return nil }
        self.call = call
        age = .milliseconds(node["age_ms"]?.int ?? 0)
        listHash = node["list_hash"]?.string
    }
}

extension SealedSecret {
    init?(_ node: JSONNode) {
        guard let name = node["name"]?.string, let hex = node["sealed"]?.string,
            let bytes = [UInt8](hexadecimal: hex)
        else { return nil }
        userID = Int64(node["user_id"]?.int ?? 0)
        self.name = name
        sealed = bytes
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
