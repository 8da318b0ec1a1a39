import HTTP
import JSON
import JobFiles
import Reading

extension FuzzTarget {
    /// An entity of each page style, with fields of each type and form.
    private static let entities: [Entity] = {
        let pages = [
            "{ style: single }", "{ style: token, token_at: next, more_at: more }",
            "{ style: token, token_at: { sum: [from, count], below: total } }",
            "{ style: token, token_at: { last: id } }", "{ style: next_url, url_at: next }",
            "{ style: link_header, more_if: more }", "{ style: offset, total_at: total }",
            "{ style: page, next_at: next }", "{ style: page, total_at: total }",
            "{ style: keyset, by: at, start: '0' }", "{ style: keyset, by: n, start: '0' }",
            "{ style: sync_token, token_at: next, more_at: more }",
        ]
        return pages.compactMap { page in
            let asks =
                !page.contains("single") && !page.contains("next_url")
                && !page.contains("link_header")
            let file = JobFile.parse(
                """
                version: 1
                job: fuzz.page
                schedule: { every: 1h, deadline: 5m }
                source: { id: fuzz, base: "https://api.example.com" }
                entities:
                  - entity: item
                    request: { path: /items\(asks ? ", query: { p: \"{page.token}\" }" : "") }
                    page: \(page)
                    records:
                      at: "items[]"
                      key: [id]
                      fields:
                        id: { at: id, type: text, required: true }
                        at: { at: at, type: timestamp, required: true }
                        day: { at: day, type: timestamp, format: ["dd.MM.yyyy HH:mm", epoch_s, iso8601] }
                        ms: { at: ms, type: timestamp, format: epoch_ms }
                        n: { at: n, type: int, required: true }
                        nt: { at: nt, type: int, format: text }
                        x: { at: x, type: double }
                        d: { at: d, type: decimal, format: text }
                        b: { at: b, type: bool }
                        bn: { at: bn, type: bool, format: number }
                        u: { at: u, type: url }
                        t: { at: t, type: duration }
                        j: { at: j.k, type: json }
                        c: { at: c, type: text, one_of: [red, green] }
                    write: { table: item, mode: overwrite, deletes: { flag_at: gone } }
                """, file: "fuzz.yaml")
            if case .failure(let mistakes) = file { fatalError("\(page): \(mistakes)") }
            return try? file.get().entities.first
        }
    }()

    /// A page of records: read, or refused in a line; where the pass goes on is at the source.
    static let page = FuzzTarget(name: "page") { bytes in
        var bytes = bytes
        let entity = entities[bytes.takeChoice() % entities.count]
        let parts = bytes.parts(2)
        let position = parts.count > 1 ? parts[0].text : nil
        guard let root = try? JSONDocument(parsing: parts.last ?? []).root else { return }
        let reader = PageReader(entity)
        let url = "https://api.example.com/items"
        let link = root["next"]?.string.map { HTTPHeader("Link", "<\($0)>; rel=next") }
        do {
            let response = HTTPResponse(status: 200, headers: [link].compactMap(\.self))
            let page = try reader.read(root, of: response, from: url, at: position, begun: 0)
            guard entity.page.continuesByAddress, let next = page.next.next else { return }
            try expect(Origin(url: next) == Origin(url: url), "\(next) is at another origin")
        } catch let error as PageError {
            _ = "\(error)"
        }
    }

    /// The lines of a body: a list where each of them is a value by itself, and of nothing else.
    static let lines = FuzzTarget(name: "lines") { bytes in
        // A mark stands before a body, and not before each line.
        let hasMark = bytes.starts(with: [0xef, 0xbb, 0xbf])
        let alone = bytes.dropFirst(hasMark ? 3 : 0).split(separator: 0x0a)
            .filter { !$0.allSatisfy { " \t\r".utf8.contains($0) } }
            .map { line -> [UInt8]? in
                guard line.first != 0xef else { return nil }
                return (try? JSONDocument(parsing: Array(line))).map { Array($0.root.rawBytes) }
            }
        guard let list = try? entities[0].records.list(ofLines: bytes).root else {
            return try expect(alone.contains(nil), "lines that are values are no list")
        }
        try expect(
            list.elements.map { Array($0.rawBytes) } == alone,
            "other values are read than stand in the lines")
    }
}
