import Foundation
import JSON
import JobQueue
import Testing

@testable import Pages

/// What the screens make of what the views say, whatever that is.
@Suite struct ScreenTests {
    /// A value for each column that a screen asks for.
    private func row(of query: ViewQuery, _ text: String) -> JSONValue {
        let names = query.columns.map { column in
            switch column {
            case .plain(let name), .seconds(let name): "\(name)"
            case .renamed(_, let name), .secondsAs(_, let name), .ago(_, let name): "\(name)"
            }
        }
        let nested = JSONValue.object([
            JSONMember(
                text,
                .object([JSONMember("error", .string(text)), JSONMember(text, .string(text))]))
        ])
        return .object(
            names.map { name in
                let value: JSONValue =
                    switch name {
                    case "entities", "day", "troubles", "expanded", "detail": nested
                    case "jobs": .array([.string(text)])
                    case "hours":
                        .array([
                            .object([
                                JSONMember("hours_ago", .string(text)),
                                JSONMember("classes", nested),
                            ])
                        ])
                    default: .string(text)
                    }
                return JSONMember(name, value)
            })
    }

    private func seen(_ screen: Screen, _ text: String, rows count: Int = 2) -> Seen {
        let place = Place(
            screen,
            query: [
                ("tenant", text), ("user", text), ("name", text), ("id", text), ("job", text),
                ("from", text), ("kind", text), ("since", text),
            ])
        let rows = screen.questions(place).map { query in
            Array(repeating: row(of: query, text), count: count)
        }
        var seen = Seen(
            place: place, rows: rows, at: text, mayAct: true,
            judgement: Judgement(word: text, reasons: [text], waiting: [(text, text, text)]),
            reasons: [text: text])
        seen.mayLook = true
        seen.statements = text
        seen.edits = [.object([JSONMember("table_name", .string(text))])]
        return seen
    }

    /// The tags of a page, without what stands between them.
    private func tags(_ html: String) -> [Substring] {
        html.matches(of: /<\/?[a-z0-9!]+/).map { $0.0 }
    }

    @Test(arguments: Screen.allCases, MarkupTests.hostile)
    func `no text of a source, a user or a job file becomes a part of a page`(
        screen: Screen, text: String
    ) {
        let page = Frame(person: text, canSignOut: true).page(screen, seen(screen, text)).text
        // As long, since of a long text the beginning is shown.
        let letters = String(repeating: "x", count: text.count)
        let tame = Frame(person: "x", canSignOut: true).page(screen, seen(screen, letters)).text
        #expect(tags(page) == tags(tame), "\(screen)")
        #expect(!page.contains("<script>") && !page.contains("onerror=alert(1)>"))
    }

    @Test(arguments: Screen.allCases)
    func `a screen is whole with no row, with one and with more than it lists`(screen: Screen) {
        for count in [0, 1, Screen.rowsMax + 1] {
            let page = Frame().page(screen, seen(screen, "x", rows: count)).text
            let opened = page.matches(of: /<([a-z0-9]+)[ >]/).map { String($0.1) }
            let closed = page.matches(of: /<\/([a-z0-9]+)>/).map { String($0.1) }
            let void: Set = ["meta", "link", "input"]
            let names = opened.filter { !void.contains($0) }.sorted()
            #expect(names == closed.sorted(), "\(screen) with \(count) rows")
            #expect(page.matches(of: /<h1>/).count == 1)
            #expect(page.matches(of: /<main[ ]/).count == 1)
        }
    }

    @Test(arguments: Screen.allCases)
    func `acts are offered to those who may, and to nobody else`(screen: Screen) {
        var seen = seen(screen, "x")
        seen.mayAct = false
        seen.mayLook = false
        let page = Frame().page(screen, seen).text
        #expect(!page.contains("/act?") && !page.contains("method=\"post\""), "\(screen)")
    }

    @Test func `a question before an act says what, how many and why, and has a bound`() {
        let jobs = ViewQuery.Jobs(tenant: "acme", source: "hub", kind: "unauthorised")
        let asked = Confirmation(act: "retry", jobs: jobs, count: 212, back: Place("/")).html().text
        #expect(asked.contains("Retry: <data value=\"212\">212</data> jobs"))
        #expect(asked.contains("name=\"count\" value=\"212\"") && asked.contains("name=\"why\""))
        let many = Confirmation(act: "retry", jobs: jobs, count: 2001, back: Place("/")).html()
            .text
        #expect(!many.contains("<form") && many.contains("command line"))
    }

    @Test func `a day is drawn by quarters, and what lies beside it is not`() {
        let rows = [(0, 3.0), (95, 5), (96, 9), (-1, 9), (0, 1)].map { ago, value in
            JSONValue.object([
                JSONMember("quarters_ago", .integer(ago)),
                JSONMember("value", .number(String(value))),
            ])
        }
        let places = Chart.places(rows)
        #expect(places.count == 96 && places[95] == 4 && places[0] == 5)
        #expect(places.compactMap { $0 }.count == 2)
        let areas = Chart.areas([("complete", places.map { $0 ?? 0 })], label: "Runs").text
        #expect(areas.contains("polygon class=\"complete\"") && areas.contains("role=\"img\""))
    }
}
