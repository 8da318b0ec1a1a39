import Foundation
import HTTP
import Synchronization
import Testing

extension HTTPClient {
    /// This machine, where the servers of tests live, is named unless told otherwise.
    convenience init(
        limits: HTTPLimits = .init(), privateNetworks: Networks = .loopback,
        transfersMax: Int = 512, connectionsMax: Int = .max, caFile: String? = nil
    ) {
        self.init(
            limits: limits, userAgent: "tests", privateNetworks: privateNetworks,
            transfersMax: transfersMax, connectionsMax: connectionsMax, caFile: caFile)
    }

    func get(_ url: String, within time: Duration = .seconds(600)) async throws -> HTTPResponse {
        try await send(HTTPRequest(url: url), deadline: .now + time)
    }

    /// The error a GET ends with; a response is a failure of the test.
    func failure(of url: String, within time: Duration = .seconds(600)) async -> HTTPError? {
        await failure(of: HTTPRequest(url: url), within: time)
    }

    func failure(of request: HTTPRequest, within time: Duration = .seconds(600)) async
        -> HTTPError?
    {
        do throws(HTTPError) {
            let response = try await send(request, deadline: .now + time)
            Issue.record("got \(response.status) with \(response.body.count) bytes")
            return nil
        } catch {
            return error
        }
    }
}

extension Networks {
    static let loopback = (try? Networks("127.0.0.0/8, ::1/128")) ?? .none
}

/// Runs a test against a server that follows a script on every connection.
func withServer(
    _ script: @escaping @Sendable (Connection) -> Void,
    _ test: (TestServer) async throws -> Void
) async throws {
    let server = try TestServer(script)
    defer { server.stop() }
    try await test(server)
}

/// Answers every request on a connection until the client closes it.
func keepAlive(_ answer: @escaping @Sendable (Connection, String) -> Void)
    -> @Sendable (Connection) -> Void
{
    { connection in
        while let request = connection.readRequest() { answer(connection, request) }
    }
}

/// Counts events of other threads and lets a test wait for the n-th.
final class Events: Sendable {
    private let stream: AsyncStream<Void>
    private let source: AsyncStream<Void>.Continuation

    init() { (stream, source) = AsyncStream.makeStream() }

    func happen() { source.yield() }

    func wait(for count: Int = 1) async {
        var missing = count
        for await _ in stream {
            missing -= 1
            if missing == 0 { return }
        }
    }
}

/// Runs a command of the system and returns what it printed.
@discardableResult
func output(of command: String) async throws -> [UInt8] {
    try await offPool {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let bytes = [UInt8](pipe.fileHandleForReading.readDataToEndOfFile())
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(command) failed")
        return bytes
    }
}
