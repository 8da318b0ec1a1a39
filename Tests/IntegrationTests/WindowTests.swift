import JSON
import Postgres
import Testing

/// Passes that ask for one window of time after the other.
@Suite struct WindowTests {
    private static func file(
        _ incremental: String, page: String = "style: token, token_at: next_token, size: 20",
        path: String = "token"
    ) -> String {
        World.generic(
            path, page: page, query: #"cursor: "{page.token}", since: "{since}", until: "{until}""#,
            incremental: "incremental: { watermark: run_start, \(incremental) }")
    }

    private func stored(_ world: World) async throws -> String? {
        try await world.value("select count(*) from synced.generic_item")
    }

    /// Where each request began.
    private func begins(_ world: World) async throws -> [String] {
        try await world.source.asked(by: "ann").map { $0.since ?? "" }
    }

    @Test func `a first pass goes from window to window up to now, and the next one asks for one`()
        async throws
    {
        let begin = "2023-01-01T00:00:00Z"
        try await withWorld(Self.file("start: \(begin), window: 90d"), videos: 95) { world in
            try await world.drain()
            #expect(try await world.holdsAllItems(of: "ann"))
            #expect(try await world.runs("ann").count == 1)
            let asked = try await begins(world)
            let windows = asked.enumerated().filter { $0 == 0 || asked[$0 - 1] != $1 }.map(\.1)
            #expect(windows.prefix(2) == [begin, "2023-04-01T00:00:00Z"] && windows.count > 12)
            #expect(windows == windows.sorted())
            let watermark = try #require(try await world.checkpoint("ann").text("watermark"))
            try await world.runAgain()
            #expect(try await begins(world).dropFirst(asked.count) == [watermark])
        }
    }

    @Test func `a pass that is cut off goes on in its window, and asks for none before it again`()
        async throws
    {
        try await withWorld(Self.file("start: 2023-01-01T00:00:00Z, window: 90d"), videos: 95) {
            world in
            try await world.source.fault(
                #"{"kind": "status", "status": 503, "headers": {"Retry-After": "3600"}, "user": "ann", "nth": 4}"#
            )
            try await world.drain()
            let before = try await begins(world)
            let refused = try #require(before.count == 4 ? before.last : nil)
            #expect(try await world.checkpoint("ann").text("pass_kind") == "full")
            try await world.given(.undeferred(.waiting), .due(.waiting))
            try await world.drain()
            #expect(try await world.holdsAllItems(of: "ann"))
            // The request that was refused is asked once more, and none before it is.
            let after = try await begins(world).dropFirst(4)
            #expect(after.first == refused)
            #expect(after.allSatisfy { $0 >= refused })
        }
    }

    @Test(arguments: [
        ("yyyy-MM-dd", "2024-01-01"), ("yyyyMMdd", "20240101"), ("epoch_s", "1704067200"),
        ("epoch_ms", "1704067200000"), ("dd/MM/yyyy'T'HH:mm", "01/01/2024T00:00"),
    ])
    func `both ends are sent in the form that the file names`(_ format: String, _ sent: String)
        async throws
    {
        let file = World.heard(
            request: """
                path: /generic/{user.hub_user_id}/heard
                query: { since: "{since}", until: "{until}", now: "{now.date}" }
                """, page: "style: single",
            parts:
                "incremental: { watermark: run_start, start: 2024-01-01T00:00:00Z, window: 3650d, format: \"\(format)\" }"
        )
        try await withWorld(file, videos: 0) { world in
            try await world.answerNext(#"{"items": []}"#)
            try await world.drain()
            let query = try #require(try await world.heard().first)
            #expect(query.hasPrefix("since=\(sent)&until="), "\(query)")
            #expect(!query.contains("until=\(sent)"))
        }
    }

    @Test
    func `a start that the user's attribute says is his own, and a missing one skips the run`()
        async throws
    {
        try await withWorld(Self.file(#"start: "{user.start}", window: 3650d"#), videos: 95) {
            world in
            try await world.drain()
            #expect(try await world.job("ann").text("last_outcome") == "skipped")
            #expect(try await world.source.asked(by: "ann").isEmpty)
            for (value, outcome) in [("last week", "failed"), ("2024-06-01", "complete")] {
                try await world.sql(
                    "select jobrunner.set_user('acme', 'ann', jsonb_build_object('start', $1::text))",
                    .text(value))
                try await world.given(.due(.failed))
                try await world.runAgain()
                #expect(try await world.job("ann").text("last_outcome") == outcome)
            }
            #expect(try await begins(world).first == "2024-06-01T00:00:00Z")
            let older = try await world.value(
                "select count(*) from synced.generic_item where updated_at < '2024-06-01'")
            #expect(older == "0")
        }
    }

    @Test func `until ends a pass before now, and the next one begins there`() async throws {
        try await withWorld(
            Self.file("start: 2024-01-01T00:00:00Z, window: 3650d, until: 2d"), videos: 95
        ) { world in
            try await world.drain()
            let lag = try await world.value(
                "select round(extract(epoch from now() - watermark::timestamptz) / 86400) from jobrunner.checkpoints"
            )
            #expect(lag == "2")
            try await world.runAgain()
            #expect(try await world.job("ann").text("last_outcome") == "complete")
        }
    }

    @Test func `a start that is a number fails a pass of windows, and says why`() async throws {
        try await withWorld(Self.file(#"start: "{user.start}", window: 90d"#), videos: 95) {
            world in
            try await world.sql(
                "select jobrunner.set_user('acme', 'ann', '{\"start\": 1704067200}'::jsonb)")
            try await world.drain()
            #expect(try await world.source.asked(by: "ann").isEmpty)
            let error = try await world.job("ann").text("last_error") ?? ""
            #expect(error.contains("is a number, and a window is of time"), "\(error)")
        }
    }

    @Test func `a page that comes again in a later window fails the pass as in the first one`()
        async throws
    {
        let file = World.heard(
            request: """
                path: /generic/{user.hub_user_id}/heard
                query: { p: "{page.token}", since: "{since}", until: "{until}" }
                """, page: "style: page, size: 2",
            parts: "incremental: { watermark: run_start, start: 30d, window: 20d }")
        try await withWorld(file, videos: 0) { world in
            let answers = [[1], [], [2, 3], [2, 3]].map { ids in
                let items = ids.map { #"{"id": "\#($0)", "seq": \#($0), "name": "x"}"# }
                return #"{"items": [\#(items.joined(separator: ","))]}"#
            }
            for answer in answers { try await world.answerNext(answer) }
            try await world.drain()
            #expect(try await world.heard().count == 4)
            #expect(try await world.outcomes("ann") == ["failed cursor_loop"])
        }
    }
}
