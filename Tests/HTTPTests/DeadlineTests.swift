import Glibc
import HTTP
import Testing

@Suite(.serialized) struct DeadlineTests {
    /// Far more than a busy machine needs: a request that is not left at its deadline hangs for longer.
    private static let lateness = Duration.seconds(60)

    /// Sends a GET and checks that it ends at its deadline, and not before.
    private func expectTimeout(
        _ client: HTTPClient, _ url: String, after time: Duration = .milliseconds(300),
        _ phase: HTTPError.Phase
    ) async {
        let start = ContinuousClock.now
        let error = await client.failure(of: url, within: time)
        let elapsed = ContinuousClock.now - start
        #expect(error == .timedOut(phase: phase))
        #expect(elapsed >= time)
        #expect(elapsed < time + Self.lateness)
    }

    @Test func `a server that never answers is left at the deadline and its connection closed`()
        async throws
    {
        let closed = Events()
        try await withServer({ connection in
            _ = connection.readRequest()
            if connection.waitForClose() { closed.happen() }
        }) { server in
            await expectTimeout(HTTPClient(), server.url(), .waiting)
            await closed.wait()
        }
    }

    @Test func `a body that drips is left at the deadline`() async throws {
        try await withServer(drip) { server in
            await expectTimeout(HTTPClient(), server.url(), .receiving)
        }
    }

    @Test func `headers that drip are left at the deadline`() async throws {
        try await withServer({ connection in
            _ = connection.readRequest()
            connection.send("HTTP/1.1 200 OK\r\n")
            while connection.send("x"), !connection.waitForClose(milliseconds: 50) {}
        }) { server in
            let error = await HTTPClient().failure(of: server.url(), within: .milliseconds(300))
            #expect(error == .timedOut(phase: .waiting) || error == .timedOut(phase: .receiving))
        }
    }

    @Test func `a connect that stalls is left at the deadline`() async throws {
        let (listener, port) = try listenOnLoopback(backlog: 0)
        // Nobody accepts: the first fill the queue, all later handshakes get no answer.
        let fillers = (0..<8).map { _ in connectInBackground(port: port) }
        defer { for socket in fillers + [listener] { close(socket) } }
        await expectTimeout(HTTPClient(), "http://127.0.0.1:\(port)/", .connecting)
        let impatient = HTTPClient(limits: HTTPLimits(connectTimeout: .milliseconds(200)))
        let start = ContinuousClock.now
        let error = await impatient.failure(of: "http://127.0.0.1:\(port)/")
        #expect(error == .timedOut(phase: .connecting))
        let elapsed = ContinuousClock.now - start
        #expect(elapsed < Self.lateness)
    }

    @Test func `waiting for a free slot counts, and the slot is free again after a deadline`()
        async throws
    {
        let arrived = Events()
        try await withServer({ connection in
            while let request = connection.readRequest() {
                arrived.happen()
                if request.contains("/slow") { connection.waitForClose() }
                connection.answer()
            }
        }) { server in
            let client = HTTPClient(transfersMax: 1)
            async let first = client.failure(of: server.url("/slow"), within: .seconds(3))
            await arrived.wait()
            await expectTimeout(client, server.url(), .queued)
            // Queued behind the slow one, it gets the slot when that one's deadline has passed.
            let whole = try await client.get(server.url())
            #expect(whole.status == 200)
            #expect(await first == .timedOut(phase: .waiting))
        }
    }

    @Test func `a deadline in the past ends the call at once`() async throws {
        try await withServer(keepAlive { connection, _ in connection.answer() }) { server in
            let error = await HTTPClient().failure(of: server.url(), within: .seconds(-1))
            #expect(error == .timedOut(phase: .queued))
            #expect(server.connectionsCount == 0)
        }
    }

    @Test func `two hundred dripping bodies all end in time`() async throws {
        try await withServer(drip) { server in
            let client = HTTPClient()
            let url = server.url()
            let start = ContinuousClock.now
            let timedOut = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<200 {
                    group.addTask {
                        let error = await client.failure(of: url, within: .seconds(1))
                        if case .timedOut = error { return true }
                        return false
                    }
                }
                var count = 0
                for await isTimedOut in group where isTimedOut { count += 1 }
                return count
            }
            #expect(timedOut == 200)
            let elapsed = ContinuousClock.now - start
            #expect(elapsed < Duration.seconds(1) + Self.lateness)
        }
    }
}

/// Promises a long body and sends a byte of it every tenth of a second.
@Sendable private func drip(_ connection: Connection) {
    _ = connection.readRequest()
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    while connection.send("x"), !connection.waitForClose(milliseconds: 100) {}
}
