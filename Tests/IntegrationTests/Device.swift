import HTTP
import JSON

/// One of a user's devices: it holds the statuses, edits them, and syncs with change tags.
///
/// As the app should: the newest `lastModified` wins, and nothing newer is overwritten.
struct Device {
    private let base: String
    private let client: HTTPClient
    private var token: String
    private var syncToken: String?
    private var tags: [String: String] = [:]
    private var unsent: Set<String> = []
    private(set) var statuses: [String: Save] = [:]
    /// What became of its requests.
    private(set) var conflicts = 0
    private(set) var failures = 0
    private(set) var lostTokens = 0

    var isSettled: Bool { unsent.isEmpty }

    init(base: String, client: HTTPClient, token: String) {
        self.base = base
        self.client = client
        self.token = token
    }

    /// Another web auth token, after the one before has expired.
    mutating func signIn(_ token: String) { self.token = token }

    /// A person's edit; false when the device knows of a newer one.
    mutating func edit(_ save: Save) -> Bool {
        guard (statuses[save.video]?.modified ?? 0) < save.modified else { return false }
        statuses[save.video] = save
        unsent.insert(save.video)
        return true
    }

    /// Pulls and pushes; a conflict is pulled and pushed once more.
    ///
    /// Whatever fails is left for the next time.
    mutating func sync() async throws {
        for _ in 0..<2 {
            guard try await pull(), try await push() > 0 else { return }
        }
    }

    // MARK: Pulling

    private mutating func pull() async throws -> Bool {
        while true {
            var zone = [JSONMember("zoneID", Self.zone)]
            if let syncToken { zone.append(JSONMember("syncToken", .string(syncToken))) }
            let answer = try await send(
                "changes/zone", [JSONMember("zones", .array([.object(zone)]))])
            guard let page = answer?["zones"]?.elements.first(where: { _ in true }) else {
                failures += 1
                return false
            }
            if page["serverErrorCode"] != nil {
                lostTokens += 1
                guard syncToken != nil else { return false }
                syncToken = nil
                continue
            }
            page["records"]?.elements.forEach { merge($0) }
            syncToken = page.text("syncToken")
            if page["moreComing"]?.bool != true { return true }
        }
    }

    private mutating func merge(_ record: JSONNode) {
        guard let save = Save(record: record) else { return }
        tags[save.video] = record.text("recordChangeTag")
        let own = statuses[save.video]?.modified ?? 0
        guard own <= save.modified else { return }
        statuses[save.video] = save
        unsent.remove(save.video)
    }

    // MARK: Pushing

    /// Returns how many met another version.
    private mutating func push() async throws -> Int {
        let sent = unsent.sorted().prefix(200).compactMap { statuses[$0] }
        guard !sent.isEmpty else { return 0 }
        let operations = sent.map { save in
            var record = save.record
            if case .object(var members) = record, let tag = tags[save.video] {
                members.append(JSONMember("recordChangeTag", .string(tag)))
                record = .object(members)
            }
            let word = tags[save.video] == nil ? "create" : "update"
            return JSONValue.object([
                JSONMember("operationType", .string(word)), JSONMember("record", record),
            ])
        }
        let answer = try await send(
            "records/modify",
            [JSONMember("zoneID", Self.zone), JSONMember("operations", .array(operations))])
        guard let records = answer?["records"]?.elements else {
            failures += 1
            return 0
        }
        var met = 0
        for record in records {
            guard let video = record.text("recordName") else { continue }
            if record["serverErrorCode"] != nil {
                met += 1
            } else {
                tags[video] = record.text("recordChangeTag")
                unsent.remove(video)
            }
        }
        conflicts += met
        return met
    }

    private static let zone = JSONValue.object([
        JSONMember("zoneName", .string("WatchedStatusZone"))
    ])

    /// The answer; nil for a failure of the request as a whole.
    private func send(_ operation: String, _ members: [JSONMember]) async throws -> JSONNode? {
        let request = HTTPRequest(
            method: "POST",
            url: "\(base)/database/1/\(CloudApp.metube.container)/production/private/\(operation)"
                + "?ckAPIToken=api-token&ckWebAuthToken=\(percentEncode(queryValue: token))",
            headers: [HTTPHeader("Content-Type", "application/json")],
            body: Array(JSONValue.object(members).text.utf8))
        do {
            let response = try await client.send(request, deadline: .now + .seconds(30))
            guard response.status == 200 else { return nil }
            return try JSONDocument(parsing: response.body).root
        } catch is HTTPError {
            return nil
        }
    }
}
