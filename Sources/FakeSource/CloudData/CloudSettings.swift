/// The switches of a container: limits, delays, and the side taken where sources disagree.
struct CloudSettings {
    var pageLimit = 200
    var indexLag: Milliseconds = 0
    var tokenMode = TokenMode.lenient
    var tokenHeader = TokenHeader.webAuth
    var insertExisting = InsertExisting.exists
    var staleTag = StaleTag.different
    var throttleStatus = 429
    var throttleWait = ThrottleWait.body
    var expiredToken = ExpiredToken.badRequest
    var emptyToken = EmptyToken.start
    var systemFields = SystemFields.both
    var existingZone = ExistingZone.zone
    var atomicError = AtomicError.records
    var emptyBody = EmptyBody.both
    var signedPath = SignedPath.path
    var ownerKey = OwnerKey.ownerRecordName
    var recordTypes = RecordTypes.honoured
    var numberStringsKey = NumberStringsKey.documented
    /// Unknown keys and field types in every record.
    var hasExtras = false
    /// So many records of the page before are at the start of each later page.
    var repeatedRecords = 0
    /// A push of one of these records is refused as a whole.
    var refusedRecords: Set<String> = []
    /// Texts that are pushed are kept without blanks at their ends and with single ones between words.
    var normalises = false
    /// Of this field of a pushed record the source makes another, named so with `Slug` behind it.
    var slugOf: String?
    /// Core Data keeps a text of one of these fields as an asset when it has more bytes.
    var assetsAbove: [String: Int] = [:]
    /// A push of more operations is refused as a whole.
    var operationsMax = pageMax
    var rate: Rate?
    /// What signatures' dates are compared with; the real time when nil.
    var signatureNow: Milliseconds?

    /// Apple's own limit for pages and operations.
    static let pageMax = 200

    enum TokenMode: String, CaseIterable { case strict, lenient, none }

    enum TokenHeader: String, CaseIterable {
        case webAuth = "X-Apple-CloudKit-Web-Auth-Token"
        case session = "X-Apple-CloudKit-Session"
    }

    enum InsertExisting: String, CaseIterable { case exists = "EXISTS", conflict = "CONFLICT" }

    enum StaleTag: String, CaseIterable {
        case different = "record to update already exists with a different change tag"
        case oplock = "client oplock error updating record"
    }

    enum ThrottleWait: String, CaseIterable { case body, header, both, none }

    enum ExpiredToken: String, CaseIterable {
        case badRequest = "BAD_REQUEST"
        case expired = "CHANGE_TOKEN_EXPIRED"
    }

    enum EmptyToken: String, CaseIterable { case start, end }
    enum SystemFields: String, CaseIterable { case both, short, underscore }
    enum ExistingZone: String, CaseIterable { case zone, exists = "EXISTS", conflict = "CONFLICT" }
    enum AtomicError: String, CaseIterable { case records, request }
    enum EmptyBody: String, CaseIterable { case hash, empty, both }
    enum SignedPath: String, CaseIterable { case path, query }
    enum OwnerKey: String, CaseIterable { case ownerRecordName, ownerName }
    enum RecordTypes: String, CaseIterable { case honoured, ignored }
    enum NumberStringsKey: String, CaseIterable { case documented, either }

    /// More than so many requests of one caller in a window are throttled.
    struct Rate {
        let requests: Int
        let window: Milliseconds
        let retryAfter: Double
    }
}

extension CloudSettings {
    static let keys = [
        "page_limit", "index_lag_ms", "token_mode", "token_header", "insert_existing", "stale_tag",
        "throttle_status", "throttle_wait", "expired_token", "empty_token", "system_fields",
        "existing_zone", "atomic_error", "empty_body", "signed_path", "owner_key",
        "number_strings_key", "record_types", "extras", "repeat_records", "rate", "signature_now",
        "refused_records", "operations_max", "normalises", "slug_of", "assets_above",
    ]

    /// Changes what the command names.
    mutating func set(_ command: Command) throws(BadRequest) {
        let whole = 0...Int(Int32.max)
        pageLimit = try command.int("page_limit", in: 1...CloudSettings.pageMax) ?? pageLimit
        indexLag = try command.int("index_lag_ms", in: whole).map { Milliseconds($0) } ?? indexLag
        repeatedRecords =
            try command.int("repeat_records", in: 0...CloudSettings.pageMax) ?? repeatedRecords
        refusedRecords = try command.strings("refused_records").map { Set($0) } ?? refusedRecords
        operationsMax =
            try command.int("operations_max", in: 1...CloudSettings.pageMax) ?? operationsMax
        throttleStatus = try command.int("throttle_status", in: 400...599) ?? throttleStatus
        hasExtras = try command.bool("extras") ?? hasExtras
        normalises = try command.bool("normalises") ?? normalises
        slugOf = try command.string("slug_of") ?? slugOf
        assetsAbove = try command.sizes("assets_above") ?? assetsAbove
        signatureNow = try command.time("signature_now") ?? signatureNow
        try setSides(command)
        guard let rate = command.value("rate") else { return }
        let limits = try Command(rate, knows: ["requests", "window_ms", "retry_after"])
        let requests = try limits.int("requests", in: whole) ?? 0
        let window = Milliseconds(try limits.int("window_ms", in: whole) ?? 1000)
        let wait = try limits.double("retry_after", in: 0...1e9) ?? 1
        self.rate =
            requests == 0 ? nil : Rate(requests: requests, window: window, retryAfter: wait)
    }

    private mutating func setSides(_ command: Command) throws(BadRequest) {
        tokenMode = try command.choice("token_mode") ?? tokenMode
        tokenHeader = try command.choice("token_header") ?? tokenHeader
        insertExisting = try command.choice("insert_existing") ?? insertExisting
        staleTag = try command.choice("stale_tag") ?? staleTag
        throttleWait = try command.choice("throttle_wait") ?? throttleWait
        expiredToken = try command.choice("expired_token") ?? expiredToken
        emptyToken = try command.choice("empty_token") ?? emptyToken
        systemFields = try command.choice("system_fields") ?? systemFields
        existingZone = try command.choice("existing_zone") ?? existingZone
        atomicError = try command.choice("atomic_error") ?? atomicError
        emptyBody = try command.choice("empty_body") ?? emptyBody
        signedPath = try command.choice("signed_path") ?? signedPath
        ownerKey = try command.choice("owner_key") ?? ownerKey
        recordTypes = try command.choice("record_types") ?? recordTypes
        numberStringsKey = try command.choice("number_strings_key") ?? numberStringsKey
    }
}

extension Command {
    /// Bytes by the names of fields.
    func sizes(_ key: String) throws(BadRequest) -> [String: Int]? {
        guard let value = value(key) else { return nil }
        guard let members = value.members else { throw BadRequest("'\(key)' must be an object") }
        var sizes: [String: Int] = [:]
        for (name, size) in members {
            guard let bytes = size.whole, bytes >= 0 else {
                throw BadRequest("'\(key).\(name)' must be a number of bytes")
            }
            sizes[name] = Int(bytes)
        }
        return sizes
    }

    /// One of the words of a switch.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ key: String
    ) throws(BadRequest) -> Choice? {
        guard let text = try string(key) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw BadRequest("'\(key)' must be one of \(known)")
        }
        return choice
    }
}
