import JSON
import Testing

/// Lists inside records that show a part of themselves are read on where the file says how, and written with their page.
@Suite struct InnerListsTests {
    private static let fields = """
        id: { at: id, type: text, required: true }
        invoice: { at: parent.id, type: text, required: true }
        """
    private static let sweep = "mode: overwrite, deletes: { sweep: after_full_pass }"
    private static let after = """
        rest: { url_at: lines.url, at: "data[]", after: { query: starting_after, at: id } }
        """
    private static let next = """
        rest: { url_at: lines_next, at: "value[]", next_at: links.next }
        """

    private static func file(_ rest: String, at: String = "data[].lines.data[]") -> String {
        World.heard(
            request: """
                path: /generic/{user.hub_user_id}/heard
                query: { p: "{page.token}" }
                """,
            page: "style: token, token_at: next", write: sweep, at: at, fields: fields,
            records: rest)
    }

    private func lines(_ ids: ClosedRange<Int>) -> String {
        ids.map { #"{"id": "\#($0)"}"# }.joined(separator: ", ")
    }

    /// An invoice whose lines are an object of their own, as Stripe writes it.
    private func invoice(_ id: String, _ ids: ClosedRange<Int>?, more: Bool = false) -> String {
        let shown = ids.map { lines($0) } ?? ""
        return """
            {"id": "\(id)", "lines": {"data": [\(shown)], "has_more": \(more),
             "url": "heard?invoice=\(id)"}}
            """
    }

    private func page(_ invoices: String..., next: String = "null") -> String {
        #"{"data": [\#(invoices.joined(separator: ",\n"))], "next": \#(next)}"#
    }

    private func rest(_ ids: ClosedRange<Int>, more: Bool) -> String {
        #"{"object": "list", "data": [\#(lines(ids))], "has_more": \#(more)}"#
    }

    private func rows(_ world: World) async throws -> String? {
        try await world.value(
            "select string_agg(invoice || id, ' ' order by invoice, length(id), id) from synced.generic_item"
        )
    }

    private func withInvoices(
        _ file: String, _ body: (World) async throws -> Void
    ) async throws {
        try await withWorld(file, videos: 0) { world in
            try await body(world)
        }
    }

    @Test
    func `a rest that is asked for behind the last element is whole, and absence counts again`()
        async throws
    {
        try await withInvoices(Self.file(Self.after)) { world in
            for _ in 1...2 {
                try await world.answerNext(
                    page(
                        invoice("a", 1...2, more: true), invoice("b", 11...12), invoice("c", nil),
                        next: #""x""#),
                    rest(3...4, more: true), rest(5...5, more: false),
                    page(invoice("d", 21...21, more: true)), rest(22...22, more: false))
                try await world.runAgain()
            }
            #expect(try await rows(world) == "a1 a2 a3 a4 a5 b11 b12 d21 d22")
            #expect(
                try await world.heard().prefix(5) == [
                    "", "invoice=a&starting_after=2", "invoice=a&starting_after=4", "p=x",
                    "invoice=d&starting_after=21",
                ])
            for _ in 1...2 {
                try await world.answerNext(
                    page(invoice("a", 1...2, more: true)), rest(3...3, more: false))
                try await world.runAgain()
            }
            #expect(try await rows(world) == "a1 a2 a3")
            #expect(!world.lines.all.contains { $0.contains("absence unproven") })
        }
    }

    @Test func `a rest whose answers lead on is read to the one that names no next`() async throws {
        try await withInvoices(Self.file(Self.next, at: "data[].lines[]")) { world in
            try await world.answerNext(
                """
                {"data": [
                  {"id": "a", "lines": [], "lines_next": "heard?q=1"},
                  {"id": "b", "lines": [\(lines(11...11))]}]}
                """,
                #"{"value": [\#(lines(1...2))], "links": {"next": "heard?q=2"}}"#,
                #"{"value": [\#(lines(3...3))]}"#)
            try await world.runAgain()
            #expect(try await rows(world) == "a1 a2 a3 b11")
            #expect(try await world.heard() == ["", "q=1", "q=2"])
        }
    }

    @Test func `a rest that is not there, or that nobody can ask for, is told and deletes nothing`()
        async throws
    {
        try await withInvoices(Self.file(Self.after)) { world in
            try await world.answerNext(
                page(invoice("a", 1...2, more: true)), rest(3...3, more: false))
            try await world.runAgain()
            for _ in 1...2 {
                try await world.answerNext(page(invoice("a", 1...2, more: true)))
                try await world.source.fault(#"{"kind": "status", "status": 404, "body": "no"}"#)
                try await world.runAgain()
            }
            for _ in 1...2 {
                // Without an address.
                try await world.answerNext(
                    #"{"data": [{"id": "a", "lines": {"data": [{"id": "1"}], "has_more": true}}], "next": null}"#
                )
                try await world.runAgain()
            }
            #expect(try await rows(world) == "a1 a2 a3")
            #expect(try await world.troubles("ann") == ["absence_unproven"])
            #expect(world.lines.all.count { $0.contains("absence unproven") } == 1)
        }
    }

    @Test(arguments: [
        (#"{"items": []}"#, "malformed"),
        (#"{"data": [], "has_more": true}"#, "malformed"),
        (#"{"data": [{"id": "2"}], "has_more": true}"#, "cursor_loop"),
        (#"{"data": [{"seq": 3}], "has_more": true}"#, "malformed"),
        ("no json", "malformed"),
    ])
    func `an answer that is no rest ends the run, and nothing of its page is written`(
        _ answer: String, _ kind: String
    ) async throws {
        try await withInvoices(Self.file(Self.after)) { world in
            try await world.answerNext(page(invoice("a", 1...2, more: true)), answer)
            try await world.runAgain()
            #expect(try await rows(world) == nil)
            #expect(
                try await world.job("ann").text("last_error_kind") == kind)
        }
    }

    @Test func `an address on another origin is not asked`() async throws {
        try await withInvoices(Self.file(Self.next, at: "data[].lines[]")) { world in
            try await world.answerNext(
                #"{"data": [{"id": "a", "lines": [], "lines_next": "http://127.0.0.2:9/x"}]}"#)
            try await world.runAgain()
            #expect(try await world.heard() == [""])
            #expect(try await rows(world) == nil)
        }
    }
}
