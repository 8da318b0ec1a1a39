import Foundation
import Glibc
import Testing

@testable import FakeSource

@Suite struct StaticTests {
    /// Runs a static source of its own around a test: three users of 25 records.
    private func withStill(
        _ change: (inout StaticOptions) -> Void = { _ in }, _ body: (Client) throws -> Void
    ) throws {
        var options = StaticOptions()
        options.users = 3
        options.records = 75
        options.pageSize = 10
        change(&options)
        let source = try StaticSource(options)
        defer { source.stop() }
        try body(Client(port: source.port))
    }

    private func path(_ user: Int, _ query: String = "") -> String {
        "/static/user-\(padded(Int64(user), 6))/records\(query)"
    }

    private func counters(_ client: Client) throws -> [String: Int] {
        try #require(try client.get("/_control/counters").json() as? [String: Int])
    }

    @Test func `pages follow one another by offset, and the last names no next`() throws {
        try withStill { client in
            var seen: [[String: Any]] = []
            var next: String? = "0"
            while let offset = next {
                let reply = try client.get(path(2, "?offset=\(offset)"))
                try #require(reply.status == 200 && reply.isWhole)
                seen += try reply.items("items")
                #expect(try reply.json()["total"] as? Int == 25)
                next = try reply.json()["next"] as? String
            }
            #expect(Set(ids(seen, "id")).count == 25)
            #expect(seen.compactMap { $0["seq"] as? Int } == Array(1...25))
            #expect(try client.get(path(2, "?offset=25&limit=5")).items("items").isEmpty)
        }
    }

    @Test(arguments: [300, 500, 2000])
    func `a record has the bytes that were asked for`(bytes: Int) throws {
        try withStill {
            $0.recordBytes = bytes
        } _: { client in
            let reply = try client.get(path(1, "?limit=1"))
            #expect(reply.text.utf8.count - #"{"items":[],"next":"1","total":25}"#.count == bytes)
            #expect(try reply.items("items").count == 1)
        }
    }

    @Test func `a record is the same on every page that shows it, and for every user`() throws {
        try withStill { client in
            let texts = { (query: String) in
                try client.get(path(1, query)).items("items").map { $0["text"] as? String }
            }
            #expect(try texts("?offset=10&limit=5") == Array(texts("?limit=25")[10..<15]))
            let first = try client.get(path(1, "?offset=10"))
            #expect(try client.get(path(3, "?offset=10")).body == first.body)
        }
    }

    @Test func `the tag sent back is answered with 304 until something changed`() throws {
        try withStill { client in
            let tag = try #require(try client.get(path(1)).headers["etag"])
            let same = try client.get(path(1), ["If-None-Match": tag])
            #expect(same.status == 304 && same.body.isEmpty)
            #expect(try client.post("/_control/change?per_million=1000000", "").status == 200)
            #expect(try client.get(path(1), ["If-None-Match": tag]).status == 200)
        }
    }

    @Test func `a change strikes its share of the records of the first users only`() throws {
        try withStill {
            $0.records = 3000
            $0.pageSize = 1000
        } _: { client in
            let before = try client.get(path(1)).items("items")
            let command = "/_control/change?per_million=200000&users=2"
            try #require(try client.post(command, "").status == 200)
            let after = try client.get(path(2)).items("items")
            let changed = zip(before, after).filter {
                $0["title"] as? String != $1["title"] as? String
            }
            #expect((120...280).contains(changed.count))
            #expect(ids(before, "id") == ids(after, "id"))
            #expect(try client.get(path(3)).items("items").count == 1000)
            #expect(try client.get(path(3)).headers["etag"] != client.get(path(2)).headers["etag"])
        }
    }

    @Test func `since leaves what is as new, and nothing when nothing is`() throws {
        try withStill { client in
            #expect(
                try client.get(path(1, "?since=2023-11-14T22:13:22Z")).json()["total"] as? Int == 23
            )
            #expect(
                try client.get(path(1, "?since=2000-01-01T00:00:00Z")).json()["total"] as? Int == 25
            )
            let now = iso8601(wallClock())
            let nothing = try client.get(path(1, "?since=\(now)"))
            #expect(nothing.text == #"{"items":[],"total":0}"#)
            try client.command("change?per_million=1000000", "")
            let all = try client.get(path(1, "?since=\(now)&limit=20"))
            #expect(try all.json()["total"] as? Int == 25)
            #expect(try all.items("items").count == 20)
        }
    }

    @Test(arguments: [
        ("GET", "/static/user-000004/records", 404), ("GET", "/static/user-000000/records", 404),
        ("GET", "/static/user-000001/records/x", 404), ("GET", "/static/user-1/records", 404),
        ("GET", "/", 404), ("POST", "/static/user-000001/records", 405),
        ("GET", "/static/user-000001/records?limit=0", 400),
        ("GET", "/static/user-000001/records?offset=x", 400),
        ("GET", "/static/user-000001/records?since=soon", 400),
        ("POST", "/_control/change", 400), ("POST", "/_control/change?per_million=2&users=9", 400),
        ("POST", "/_control/settings", 400),
    ])
    func `what it does not know is refused`(method: String, path: String, status: Int) throws {
        try withStill { client in
            let reply = try client.raw(client.request(method, path))
            #expect(reply.status == status)
            #expect(try reply.json()["error"] != nil)
        }
    }

    @Test func `requests, pages and bytes are counted, commands are not`() throws {
        try withStill { client in
            let page = try client.get(path(1))
            let tag = try #require(page.headers["etag"])
            _ = try client.get(path(2), ["If-None-Match": tag])
            let counters = try counters(client)
            #expect(counters["requests"] == 2 && counters["pages"] == 1)
            #expect(counters["not_modified"] == 1 && counters["bytes"] == page.body.count)
        }
    }

    @Test func `delayed requests wait together and are counted while they do`() throws {
        try withStill {
            $0.delay = 60_000
        } _: { client in
            let files = try (1...20).map { _ in
                let file = try client.connect()
                client.write(file, client.request("GET", path(1)))
                return file
            }
            try eventually("all wait") { try counters(client)["waiting"] == 20 }
            // Their peers have gone, which is noticed though nobody reads from them.
            files.forEach { close($0) }
            try eventually("none waits") { try counters(client)["waiting"] == 0 }
            #expect(try counters(client)["waiting_max"] == 20)
            #expect(try counters(client)["requests"] == 0)
            try client.command("settings?delay_ms=1", "")
            #expect(try client.get(path(1)).status == 200)
        }
    }

    @Test func `one connection serves many requests`() throws {
        try withStill { client in
            let file = try client.connect()
            defer { close(file) }
            let request = "GET \(path(1, "?limit=1")) HTTP/1.1\r\nHost: x\r\n\r\n"
            for _ in 1...3 {
                client.write(file, Array(request.utf8))
                var buffer = [UInt8](repeating: 0, count: 4096)
                let count = recv(file, &buffer, buffer.count, 0)
                #expect(
                    String(decoding: buffer[..<max(0, count)], as: UTF8.self).hasPrefix(
                        "HTTP/1.1 200"))
            }
        }
    }

    @Test(arguments: [
        (["--records"], "--records needs a value"),
        (["--records", "0"], "--records 0: expected a whole number from 1 to 100000000"),
        (["--record-bytes", "10"], "expected a whole number from 300 to 100000"),
        (["--listen", "here"], "expected an IPv4 address and a port"),
        (["--log", "x"], "unknown option '--log'; see static --help"),
    ])
    func `a wrong option of a static source is one clear line`(arguments: [String], line: String) {
        guard case .mistake(let text) = StaticOptions.parse(arguments) else {
            Issue.record("it was accepted")
            return
        }
        #expect(text.contains(line) && !text.contains("\n"))
    }
}
