import Foundation
import JSON
import Testing

/// Shelves, a map keyed by id; for each shelf its books, in lists within lists; entries in order by number; and notes whose
/// next page is one of several links.
private let library = """
    version: 1
    job: library.all
    schedule: { every: 5m, deadline: 30s }
    source: { id: library, base: "http://127.0.0.1:1", retry: { attempts: 1 } }
    defaults: { page: { style: single }, write: { mode: overwrite } }
    entities:
      - entity: shelf
        request: { path: /shelves }
        records:
          at: "[]"
          map_as_list: true
          key: [shelf_id]
          fields: { shelf_id: { at: key, type: text, required: true } }
        write: { table: library_shelf }
      - entity: book
        for_each: { rows: shelf, columns: [shelf_id] }
        request: { path: "/shelves/{each.shelf_id}" }
        records:
          at: "groups[].books[]"
          key: [book_id]
          fields:
            shelf_id: { each: shelf_id, type: text }
            book_id: { at: id, type: text, required: true }
        write: { table: library_book }
      - entity: entry
        request: { path: /entries, query: { after: "{page.token}" } }
        page: { style: keyset, by: number, start: "0" }
        records:
          at: "entries[]"
          key: [number]
          fields: { number: { at: number, type: int, required: true } }
        write: { table: library_entry }
      - entity: note
        request: { path: /notes }
        page: { style: next_url, url_at: "links[rel=next].href" }
        records:
          at: "notes[]"
          key: [note_id]
          fields: { note_id: { at: id, type: text, required: true } }
        write: { table: library_note }

    """

private let answers = [
    "/shelves": #"{"a": {"name": "one"}, "b": {"name": "two"}}"#,
    "/shelves/a":
        #"{"groups": [{"books": [{"id": "a1"}, {"id": "a2"}]}, {"books": [{"id": "a3"}]}]}"#,
    "/shelves/b": #"{"groups": [{"books": [{"id": "b1"}]}]}"#,
    "/entries?after=0": #"{"entries": [{"number": 1}, {"number": 2}, {"number": 3}]}"#,
    "/entries?after=3": #"{"entries": []}"#,
    "/notes": #"""
    {"notes": [{"id": "n1"}, {"id": "n2"}], "links": [{"rel": "self", "href": "/notes"},
     {"rel": "next", "href": "http://127.0.0.1:1/notes?from=2"}]}
    """#,
    "/notes?from=2":
        #"{"notes": [{"id": "n3"}], "links": [{"rel": "self", "href": "/notes?from=2"}]}"#,
]

extension Installation {
    /// Runs the body with a job that can be tried, and with what a source once answered in folder `kept`.
    fileprivate static func withAnswers(
        _ file: String, _ body: (Installation) async throws -> Void
    ) async throws {
        try await with { installation in
            try await TestDatabase.makeScratch(beside: installation.url)
            _ = try installation.write("jobs/shop/library.yaml", file, mode: 0o644)
            let kept = installation.folder.appendingPathComponent("kept")
            try FileManager.default.createDirectory(at: kept, withIntermediateDirectories: true)
            for (number, (path, answer)) in answers.sorted(by: { $0.key < $1.key }).enumerated() {
                let text = JSONValue.object([
                    JSONMember("method", .string("GET")), JSONMember("path", .string(path)),
                    JSONMember("request_body_hash", .string("")),
                    JSONMember("status", .integer(200)), JSONMember("headers", .array([])),
                    JSONMember("body", .string(answer)),
                ]).text
                _ = try installation.write("kept/\(100_001 + number).json", text, mode: 0o644)
            }
            try await body(installation)
        }
    }
}

/// What `jobrunner test` makes of pages that are more than a list of records.
@Suite struct ConformanceShapeTests {
    @Test func `maps, lists within lists, items and links are judged as they are read`()
        async throws
    {
        try await Installation.withAnswers(library) { installation in
            let ran = try await installation.run(
                "test library.all --replay \(installation.folder.path)/kept")
            #expect(ran.errors == "")
            let lines = ran.output.split(separator: "\n").map { $0.prefix { $0 != ":" } }
            #expect(
                lines == ["holds", "holds", "holds", "can't be judged", "holds", "holds", "holds"],
                "\(ran.output)")
            #expect(ran.code == 0)
        }
    }

    @Test func `where a reader needs the order of the source, another order is not tried`()
        async throws
    {
        let entries = library.replacing(
            #/  - entity: shelf.*(?=  - entity: entry)/#.dotMatchesNewlines(), with: ""
        )
        .replacing(#/  - entity: note.*/#.dotMatchesNewlines(), with: "")
        try await Installation.withAnswers(entries) { installation in
            let ran = try await installation.run(
                "test library.all --replay \(installation.folder.path)/kept")
            #expect(ran.errors == "")
            #expect(
                ran.output.contains(
                    "can't be judged: the order of a page's records does not matter: the order of the source counts"
                ), "\(ran.output)")
            #expect(ran.code == 0)
        }
    }
}
