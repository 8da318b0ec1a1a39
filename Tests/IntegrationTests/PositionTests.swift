import JSON
import Testing

/// Where a position stands, by which signs a pass ends, and where its first request begins.
@Suite struct PositionTests {
    private static let get = """
        path: /generic/{user.hub_user_id}/heard
        query: { after: "{page.token}" }
        """

    private func item(_ id: Int) -> String { #"{"id": "\#(id)", "seq": \#(id)}"# }

    /// What a source that answers so is asked.
    private func heard(
        _ page: String, _ answers: [String], headers: [String] = [], outcome: String = "complete",
        parts: String = "", request: String = Self.get, write: String = "mode: overwrite",
        at: String = "items[]"
    ) async throws -> [String] {
        let file = World.heard(
            request: request, page: page, parts: parts, write: write, at: at)
        var asked: [String] = []
        try await withWorld(file, videos: 0) { world in
            for (number, body) in answers.enumerated() {
                try await world.answerNext(
                    body, headers: number < headers.count ? headers[number] : "{}")
            }
            try await world.drain()
            #expect(try await world.outcomes("ann").last == outcome)
            asked = try await world.heard()
        }
        return asked
    }

    @Test func `a position stands in a header field`() async throws {
        let asked = try await heard(
            "style: token, token_at: { header: X-Next }",
            [#"{"items": [\#(item(1))]}"#, #"{"items": [\#(item(2))]}"#],
            headers: [#"{"X-Next": "17"}"#])
        #expect(asked == ["", "after=17"])
    }

    @Test func `a position stands in the last record, in whatever order they come`() async throws {
        let asked = try await heard(
            "style: token, token_at: { last: id }",
            [
                #"{"items": [\#(item(9)), \#(item(8))]}"#, #"{"items": [\#(item(7))]}"#,
                #"{"items": []}"#,
            ])
        #expect(asked == ["", "after=8", "after=7"])
    }

    @Test func `a last record without the position is no end`() async throws {
        let asked = try await heard(
            "style: token, token_at: { last: seq }",
            [#"{"items": [{"id": "1"}]}"#], outcome: "failed malformed")
        #expect(asked == [""])
    }

    /// A style, its pages' own words, and what is asked before the source says that no more follows.
    struct Ending: Sendable, CustomTestStringConvertible {
        var page: String
        var words: [String]
        var asked: [String]
        var testDescription: String { page }
    }

    @Test(arguments: [
        Ending(
            page: "style: token, token_at: next",
            words: [#""next": "a", "more": true"#, #""next": "b", "more": false"#],
            asked: ["", "after=a"]),
        Ending(
            page: "style: token, token_at: { last: id }",
            words: [#""more": "true""#, #""more": 0"#], asked: ["", "after=1"]),
        Ending(
            page: "style: offset", words: [#""more": true"#, #""more": false"#],
            asked: ["after=0", "after=1"]),
        Ending(
            page: "style: page", words: [#""more": true"#, #""more": false"#],
            asked: ["after=1", "after=2"]),
        Ending(
            page: "style: keyset, by: seq, start: 0, size: 1",
            words: [#""more": true"#, #""more": false"#], asked: ["after=0", "after=1"]),
        Ending(
            page: "style: keyset, token_at: max, start: 0",
            words: [#""max": 5, "more": true"#, #""max": 6, "more": false"#],
            asked: ["after=0", "after=5"]),
    ])
    func `a pass ends where the source says that no more follows, whatever its style`(
        _ ending: Ending
    ) async throws {
        let pages = ending.words.enumerated().map {
            #"{"items": [\#(item($0.offset + 1))], \#($0.element)}"#
        }
        #expect(try await heard(ending.page + ", more_at: more", pages) == ending.asked)
    }

    @Test func `more of which nothing is shown is truncated, and no end`() async throws {
        let asked = try await heard(
            "style: token, token_at: next, more_at: more",
            [#"{"items": [\#(item(1))], "more": true}"#], outcome: "failed truncated")
        #expect(asked == [""])
        let unclear = try await heard(
            "style: token, token_at: next, more_at: more",
            [#"{"items": [\#(item(1))], "next": "a", "more": "perhaps"}"#],
            outcome: "failed malformed")
        #expect(unclear == [""])
    }

    @Test(arguments: [true, false])
    func `a repeated position is an end where the file says so`(_ isEnd: Bool) async throws {
        let page = #"{"items": [\#(item(1))], "next": "a"}"#
        let asked = try await heard(
            "style: token, token_at: next" + (isEnd ? ", end: repeated" : ""), [page, page],
            outcome: isEnd ? "complete" : "failed cursor_loop")
        #expect(asked == ["", "after=a"])
    }

    @Test func `one object counts as a list of one where the file says so`() async throws {
        let page = #"{"items": {"id": "1", "seq": 1}}"#
        _ = try await heard(
            "style: single", [page], outcome: "failed malformed",
            request: "path: /generic/{user.hub_user_id}/heard")
        let file = World.heard(
            request: "path: /generic/{user.hub_user_id}/heard", page: "style: single"
        ).replacing("      key: [id]", with: "      key: [id]\n      one_as_list: true")
        try await withWorld(file, videos: 0) { world in
            try await world.answerNext(page, #"{"items": [\#(item(2)), \#(item(3))]}"#)
            try await world.drain()
            try await world.runAgain()
            #expect(try await world.value("select count(*) from synced.generic_item") == "3")
            #expect(try await world.outcomes("ann") == ["complete", "complete"])
        }
    }

    private static let since = """
        path: /generic/{user.hub_user_id}/heard
        query: { since: "{since}" }
        """

    @Test(arguments: [
        ("watermark: max_seen, format: raw, start: 100, overlap: 10", "seq", "100", "190"),
        ("watermark: max_seen, format: raw, overlap: 300", "seq", nil, "-100"),
        (
            #"watermark: max_seen, start: "2024-01-01T00:00:00Z", overlap: 1m"#, "updated_at",
            "2024-01-01T00:00:00Z", "2026-01-02T03:03:05Z"
        ),
        (
            "watermark: max_seen, format: raw, overlap: 1m", "updated_at", nil,
            "2026-01-02T03:03:05Z"
        ),
        (
            #"watermark: max_seen, format: epoch_s, start: "2024-01-01T00:00:00Z""#, "updated_at",
            "1704067200", "1767323045"
        ),
    ])
    func `a first pass begins at its start, a later one an overlap before its watermark`(
        _ incremental: String, _ field: String, _ first: String?, _ next: String
    ) async throws {
        let file = World.heard(
            request: Self.since, page: "style: single",
            parts: "incremental: { \(incremental), full_every: 30d }",
            write: "mode: newest_wins, newer_by: \(field)")
        try await withWorld(file, videos: 0) { world in
            let item = #"{"id": "a", "seq": 200, "updated_at": "2026-01-02T03:04:05Z"}"#
            try await world.answerNext(
                #"{"items": [\#(item)]}"#, #"{"items": []}"#, #"{"items": []}"#)
            try await world.drain()
            try await world.runAgain()
            try await world.enqueue("ann", full: true)
            try await world.drain()
            let start = first.map { "since=\($0)" } ?? ""
            #expect(try await world.heard() == [start, "since=\(next)", start])
            #expect(try await world.job("ann").text("last_outcome") == "complete")
        }
    }

    // MARK: A list in the order of its watermark

    private static let ascending = """
        path: /generic/{user.hub_user_id}/heard
        query: { since: "{since}", after: "{page.token}" }
        """

    private enum Answer { case page([Int]), status(Int) }

    /// A list of pages of two in the order of `seq`, and what its source answers one request after another.
    private func withAscending(
        _ answers: [Answer], deletes: String = "", _ check: (World) async throws -> Void
    ) async throws {
        let file = World.heard(
            request: Self.ascending, page: "style: offset, size: 2",
            parts:
                "incremental: { watermark: max_seen, format: raw, ascending: true, full_every: 30d }",
            write: "mode: newest_wins, newer_by: seq\(deletes)")
        try await withWorld(file, videos: 0) { world in
            for answer in answers {
                try await answerNext(answer, world)
            }
            try await world.drain()
            try await check(world)
        }
    }

    private func answerNext(_ answer: Answer, _ world: World) async throws {
        switch answer {
        case .page(let numbers):
            let items = numbers.map(item).joined(separator: ", ")
            try await world.answerNext(#"{"items": [\#(items)]}"#)
        case .status(let status):
            try await world.source.fault(
                #"{"kind": "status", "status": \#(status), "body": "no"}"#)
        }
    }

    @Test(arguments: [400, 404, 416, 422])
    func
        `a list in the order of its watermark goes on from the newest where the source refuses to go deeper`(
            _ status: Int
        ) async throws
    {
        try await withAscending(
            [
                .page([1, 2]), .page([3, 4]), .status(status), .page([4, 5]), .page([6, 7]),
                .status(status), .page([7, 8]), .page([]),
            ]
        ) { world async throws in
            #expect(try await world.outcomes("ann") == ["complete"])
            #expect(
                try await world.heard() == [
                    "after=0", "after=2", "after=4", "since=4&after=0", "since=4&after=2",
                    "since=4&after=4", "since=7&after=0", "since=7&after=2",
                ])
            #expect(try await world.value("select count(*) from synced.generic_item") == "8")
            #expect(try await world.value("select watermark from jobrunner.checkpoints") == "8")
        }
    }

    @Test func `a pass that went on from the newest goes on there in the next run too`()
        async throws
    {
        try await withAscending([.page([1, 2]), .status(400), .page([2, 3]), .status(501)]) {
            world in
            try await world.answerNext(#"{"items": []}"#)
            try await world.runAgain()
            #expect(try await world.heard().last == "since=2&after=2")
            #expect(try await world.job("ann").text("last_outcome") == "complete")
            #expect(try await world.value("select count(*) from synced.generic_item") == "3")
        }
    }

    @Test func `what a pass that went on from the newest does not show is not taken for deleted`()
        async throws
    {
        let deletes = ", deletes: { sweep: after_full_pass }"
        try await withAscending([.page([1, 2]), .page([3])], deletes: deletes) { world in
            for _ in 1...2 {
                // The source shows no records of the watermark that it is asked from, one of which it had not shown.
                for answer in [Answer.page([1, 2]), .status(400), .page([])] {
                    try await answerNext(answer, world)
                }
                try await world.enqueue("ann", full: true)
                try await world.drain()
            }
            #expect(try await world.heard().suffix(2) == ["after=2", "since=2&after=0"])
            #expect(try await world.value("select count(*) from synced.generic_item") == "3")
        }
    }

    @Test func `more records of one watermark than the source shows are an error, and no circle`()
        async throws
    {
        try await withAscending([
            .page([1, 2]), .page([2, 2]), .status(400), .page([2, 2]), .status(400),
        ]) { world async throws in
            #expect(try await world.outcomes("ann") == ["failed cursor_refused"])
            #expect(try await world.heard().count == 5)
        }
    }
}
