import JSON
import Testing

/// One request the hub got.
struct Asked: Sendable, Equatable {
    var method: String
    /// The last segment of its path, such as `health` or `feed`.
    var what: String
    var path: String
    var user: String?
    var since: String?
    var cursor: String?
    var limit: String?
    var status: Int
    var records: Int
    var next: String?
    var fault: String?
    var state: String
    var monotonic: Int
    var unix: Int

    init(_ node: JSONNode) {
        method = node.text("method") ?? ""
        path = node.text("path") ?? ""
        what = path.split(separator: "/").last.map(String.init) ?? ""
        user = node.text("user")
        since = node.text("since")
        cursor = node.text("cursor")
        limit = node.text("limit")
        status = node.int("status") ?? 0
        records = node.int("records") ?? 0
        next = node.text("next")
        fault = node.text("fault")
        state = node.text("state") ?? ""
        monotonic = node.int("mono_ms") ?? 0
        unix = node.int("unix_ms") ?? 0
    }
}

extension Hub {
    /// What it was asked, in order; by one user, or for one thing.
    func asked(_ what: String? = nil, by user: String? = nil) async throws -> [Asked] {
        try await log(user: user).map(Asked.init).filter { what == nil || $0.what == what }
    }

    /// The words of all requests of one user in order, `health` left out.
    func story(of user: String) async throws -> [String] {
        try await asked(by: user).map(\.what)
    }

    /// Waits until so many requests of the kind have come, of all users or of one.
    func waitFor(_ count: Int = 1, _ what: String, by user: String? = nil) async throws {
        try await eventually("\(count) × \(what)") {
            try await asked(what, by: user).count >= count
        }
    }

    /// Data the user's destination must hold: kept, filtered, incompatible.
    func expected(_ user: String) async throws -> (kept: Int, filtered: Int, incompatible: Int) {
        let node = try await command("GET", "expected?user=\(user)")
        return (
            node.int("kept") ?? -1, node.int("filtered") ?? -1, node.int("incompatible") ?? -1
        )
    }

    func add(_ videos: Int, to user: String, clean: Bool = true) async throws {
        try await command(
            "POST", "change",
            #"{"op": "add", "user": "\#(user)", "videos": \#(videos), "clean": \#(clean)}"#)
    }

    func registeredChannels(of user: String) async throws -> [String] {
        try await command("GET", "users?user=\(user)")["channels"]?.elements.compactMap(\.string)
            ?? []
    }
}
