import HTTP
import Testing

@Suite(.serialized) struct CancellationTests {
    @Test func `a cancelled task's request ends at once and its connection closes`() async throws {
        let arrived = Events()
        let closed = Events()
        try await withServer({ connection in
            _ = connection.readRequest()
            arrived.happen()
            if connection.waitForClose() { closed.happen() }
        }) { server in
            let client = HTTPClient()
            let url = server.url()
            let task = Task { await client.failure(of: url) }
            await arrived.wait()
            task.cancel()
            #expect(await task.value == .cancelled)
            await closed.wait()
        }
    }

    @Test func `a task cancelled before it sends sends nothing`() async throws {
        try await withServer(keepAlive { connection, _ in connection.answer() }) { server in
            let client = HTTPClient()
            let url = server.url()
            let (gate, open) = AsyncStream<Void>.makeStream()
            let task = Task {
                for await _ in gate {}
                return await client.failure(of: url)
            }
            task.cancel()
            open.finish()
            #expect(await task.value == .cancelled)
            #expect(server.connectionsCount == 0)
        }
    }

    @Test func `a request cancelled while it waits for a slot leaves the line`() async throws {
        let arrived = Events()
        try await withServer({ connection in
            _ = connection.readRequest()
            arrived.happen()
            connection.waitForClose()
        }) { server in
            let client = HTTPClient(transfersMax: 1)
            let url = server.url()
            let first = Task { await client.failure(of: url) }
            await arrived.wait()
            let second = Task { await client.failure(of: url) }
            second.cancel()
            #expect(await second.value == .cancelled)
            first.cancel()
            #expect(await first.value == .cancelled)
            #expect(server.connectionsCount == 1)
        }
    }

    /// A call resumed twice would trap, one never resumed would hang the group.
    @Test(.timeLimit(.minutes(10)))
    func `in a storm of cancellations every call ends once, as response or cancelled`()
        async throws
    {
        try await withServer(keepAlive { connection, _ in connection.answer() }) { server in
            let client = HTTPClient(transfersMax: 48)
            let url = server.url()
            let ends = await withTaskGroup(of: Int.self) { group in
                for number in 0..<2000 {
                    group.addTask {
                        let task = Task {
                            try await client.get(url, within: .seconds(50)).status
                        }
                        for _ in 0..<(number % 40) { await Task.yield() }
                        if number % 4 != 0 { task.cancel() }
                        switch await task.result {
                        case .success(let status): return status
                        case .failure(let error): return error as? HTTPError == .cancelled ? 0 : -1
                        }
                    }
                }
                return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(ends[-1] == nil)
            #expect((ends[200] ?? 0) + (ends[0] ?? 0) == 2000)
            #expect((ends[200] ?? 0) >= 500)
            #expect((ends[0] ?? 0) > 0)
            // The client is as good as before.
            let whole = try await client.get(url)
            #expect(whole.status == 200)
        }
    }
}
