import FakeSource
import HTTP
import JSON

/// The source of one world, in this process, with its command surface.
final class Hub: @unchecked Sendable {
    // The server has locks of its own; this class only hands it on.
    private let server: FakeSourceServer
    private let client = HTTPClient(userAgent: "test")

    init(seed: UInt64) throws {
        var options = FakeSourceOptions()
        options.seed = seed
        server = try FakeSourceServer(options)
    }

    var port: Int { Int(server.port) }

    var base: String { "http://127.0.0.1:\(server.port)" }

    func stop() { server.stop() }

    @discardableResult
    func command(_ method: String, _ path: String, _ body: String? = nil) async throws -> JSONNode {
        try JSONDocument(parsing: try await text(method, path, body)).root
    }

    func text(_ method: String, _ path: String, _ body: String? = nil) async throws -> [UInt8] {
        try await answer(method, "_control/\(path)", body)
    }

    /// The text of an answer, as any client of the source gets it.
    func answer(
        _ method: String, _ path: String, _ body: String? = nil, headers: [HTTPHeader] = []
    ) async throws -> [UInt8] {
        let response = try await client.send(
            HTTPRequest(
                method: method, url: "\(base)/\(path)", headers: headers,
                body: body.map { Array($0.utf8) }),
            deadline: .now + .seconds(60))
        guard response.status < 300 else {
            throw HubError(text: "\(path): \(String(decoding: response.body, as: UTF8.self))")
        }
        return response.body
    }

    func fault(_ body: String) async throws { try await command("POST", "faults", body) }

    /// Ends every fault; requests that hang already go on to.
    func heal() async throws { try await command("DELETE", "faults") }

    /// The requests it got, in order, as (method, path, query) of one user or of all.
    func log(user: String? = nil) async throws -> [JSONNode] {
        let query = user.map { "?user=\($0)" } ?? ""
        return try await command("GET", "log\(query)")["entries"].map { Array($0.elements) } ?? []
    }
}

struct HubError: Error { let text: String }
