import Foundation
import JSON
import JobFiles
import Postgres
import Secrets

/// An app of CloudKit's: its shipped job file over the fixture of the same name.
struct CloudApp: Sendable {
    let container: String
    let file: String
    let fixture: String
    let isPublic: Bool

    static let metube = CloudApp(
        container: "iCloud.com.metube.app", file: "metube/status", fixture: "metube",
        isPublic: false)
    /// Its job that reads the tokens of other devices, over the same container.
    static let tokens = CloudApp(
        container: "iCloud.com.metube.app", file: "metube/tokens", fixture: "metube",
        isPublic: false)
    /// Its daily job, which does all that its hourly one does, and more.
    static let sportstime = CloudApp(
        container: "iCloud.com.example.sportstime", file: "sportstime/processing",
        fixture: "sportstime", isPublic: true)
    static let sportstimeHourly = CloudApp(
        container: "iCloud.com.example.sportstime", file: "sportstime/refresh",
        fixture: "sportstime", isPublic: true)
    static let snapchef = CloudApp(
        container: "iCloud.com.example.snapchef", file: "snapchef/refresh", fixture: "snapchef",
        isPublic: true)
    static let luego = CloudApp(
        container: "iCloud.com.example.luego", file: "luego/refresh", fixture: "luego",
        isPublic: false)
    static let popcorn = CloudApp(
        container: "iCloud.uk.co.adam-young.Popcorn", file: "popcorn/refresh",
        fixture: "popcorn", isPublic: false)

    /// The shipped file with a budget that no test waits for, and other changes.
    func yaml(_ changes: [(String, String)] = []) -> String {
        let path = packageRoot.appending(path: "jobs/\(file).yaml")
        var text = (try? String(contentsOf: path, encoding: .utf8)) ?? ""
        text = text.replacing(/per_second: [0-9]+/, with: "per_second: 100000")
        text = text.replacing(/concurrent: [0-9]+/, with: "concurrent: 500")
        for (old, new) in changes {
            precondition(text.contains(old), "the job file no longer says '\(old)'")
            text = text.replacing(old, with: new)
        }
        return text
    }
}

/// A world whose source is CloudKit with an app's fixture; one user, `user-000001`, is added.
///
/// `fixture` holds more members of the fixture's command, such as `"records": 5`.
func withCloud(
    _ app: CloudApp, _ fixture: String = "", users: Int = 1, changes: [(String, String)] = [],
    _ body: (World) async throws -> Void
) async throws {
    let world = try await World(app.yaml(changes), keeper: testKeeper())
    do {
        try await world.open(app, fixture, users: users)
        try await body(world)
    } catch {
        await world.close()
        throw error
    }
    await world.close()
}

extension World {
    fileprivate func open(_ app: CloudApp, _ fixture: String, users: Int) async throws {
        let members = fixture.isEmpty ? "" : ", \(fixture)"
        let counted = app.fixture == "sportstime" ? "" : ", \"users\": \(users)"
        try await source.command(
            "POST", "cloudkit/fixture", #"{"name": "\#(app.fixture)"\#(counted)\#(members)}"#)
        if app.isPublic {
            let key = try TestKey.shared.get()
            try await source.command(
                "POST", "cloudkit/container",
                JSONValue.object([
                    JSONMember("container", .string(app.container)),
                    JSONMember("api_tokens", .array([.string("api-token")])),
                    JSONMember(
                        "server_keys",
                        .object([JSONMember("key-1", .string(key.publicPEM))])),
                ]).text)
            try await setServerKey()
        } else {
            try await store("api-token", as: "ck_api_token", of: nil)
        }
        if app.fixture != "sportstime" {
            for number in 1...users {
                try await addCloudUser(userName(number))
            }
        }
    }

    /// The key that reads the public database.
    func setServerKey() async throws {
        try await store("key-1", as: "ck_key_id", of: nil)
        try await store(try TestKey.shared.get().privatePEM, as: "ck_private_key", of: nil)
    }

    /// Adds a user under its name at the source, with the token of the fixture.
    func addCloudUser(_ key: String) async throws {
        try await sql(
            "select jobrunner.add_user('acme', $1, jsonb_build_object('user_id', $1::text))",
            .text(key))
        if file.schedule.requires.contains(.secret("ck_web_auth_token")) {
            try await store("token-\(key)", as: "ck_web_auth_token", of: key)
        }
    }

    /// Waits until the second is over in which the source changed something last: its answers tell whole seconds, and what
    /// was changed in the one in which a pass begins lies ahead of it.
    func secondPasses() async throws {
        let changed = try await source.command("POST", "cloudkit/clock", "{}").int("now_ms") ?? 0
        try await eventually("another second has begun") {
            try await value(
                "select floor(extract(epoch from clock_timestamp())) * 1000 > $1", .int(changed))
                == "true"
        }
    }

    /// The CloudKit requests of the log, as `operation` words in order.
    func calls(user: String? = nil) async throws -> [String] {
        try await source.log(user: user).compactMap { $0.text("op") }
    }

    /// What the source holds, by record name.
    func cloudRecords(
        _ app: CloudApp, user: String? = nil, zone: String? = nil, type: String? = nil
    ) async throws -> [String: JSONNode] {
        var query = "container=\(app.container)"
        query += app.isPublic ? "&database=public" : "&database=private"
        if let user { query += "&user=\(user)" }
        if let zone { query += "&zone=\(zone)" }
        if let type { query += "&type=\(type)" }
        let answer = try await source.command("GET", "cloudkit/records?\(query)")
        var records: [String: JSONNode] = [:]
        for record in answer["records"].map({ Array($0.elements) }) ?? [] {
            if let name = record.text("recordName") { records[name] = record }
        }
        return records
    }

    /// Declares more fields of a record type at the source: none that is unknown can be written in production.
    func declare(_ app: CloudApp, _ type: String, _ fields: KeyValuePairs<String, String>)
        async throws
    {
        let all = fields.map { #""\#($0)": {"type": "\#($1)"}"# }.joined(separator: ", ")
        try await cloud(app, "schema", #""types": {"\#(type)": {\#(all)}}"#)
    }

    /// A command under `cloudkit/`, of the app's container.
    @discardableResult
    func cloud(_ app: CloudApp, _ word: String, _ members: String) async throws -> JSONNode {
        try await source.command(
            "POST", "cloudkit/\(word)",
            #"{"container": "\#(app.container)"\#(members.isEmpty ? "" : ", \(members)")}"#)
    }
}

/// `user-000001` and on, as the fixtures name them.
func userName(_ number: Int) -> String {
    "user-" + String(repeating: "0", count: 6 - String(number).count) + String(number)
}

/// A key pair, made once by the openssl program.
struct TestKey: Sendable {
    let privatePEM: String
    let publicPEM: String

    /// Of the kind that CloudKit's console wants.
    static let shared = Result {
        try TestKey(["ecparam", "-name", "prime256v1", "-genkey", "-noout"])
    }
    /// Of the kind that service accounts have.
    static let rsa = Result { try TestKey(["genrsa", "2048"]) }

    private init(_ making: [String]) throws {
        privatePEM = try Self.openssl(making, input: "")
        publicPEM = try Self.openssl(["pkey", "-pubout"], input: privatePEM)
    }

    private static func openssl(_ arguments: [String], input: String) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        let (stdin, stdout) = (Pipe(), Pipe())
        process.standardInput = stdin
        process.standardOutput = stdout
        process.standardError = FileHandle.nullDevice
        try process.run()
        try stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try stdin.fileHandleForWriting.close()
        let output = stdout.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: output, as: UTF8.self)
    }
}
