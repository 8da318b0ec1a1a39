import Foundation
import Testing

@testable import FakeSource

@Suite struct FaultTests {
    private let feed = "/api/users/ann/feed?limit=10"

    /// A source with a registered user and one fault on its feed.
    private func withFault(_ fault: String, _ body: (Client) throws -> Void) throws {
        try withSource { client in
            try client.register("ann")
            try client.command("faults", "{\"path\":\"/api/users/*/feed\",\(fault)}")
            try body(client)
        }
    }

    @Test(arguments: ["3", "Sat, 21 Nov 2026 09:30:23 GMT", "soon", "-1"])
    func `a status comes with its headers and body, once`(wait: String) throws {
        let fault =
            #""kind":"status","status":429,"headers":{"Retry-After":"\#(wait)"},"body":"no""#
        try withFault(fault) { client in
            let reply = try client.get(feed)
            #expect(reply.status == 429 && reply.text == "no")
            #expect(reply.headers["retry-after"] == wait)
            #expect(try client.get(feed).status == 200)
        }
    }

    @Test func `a fault strikes the nth match, so often, for its user only`() throws {
        try withFault(#""kind":"status","status":503,"nth":2,"times":2,"user":"ann""#) { client in
            try client.register("bob")
            #expect(try client.get("/api/users/bob/feed").status == 200)
            let statuses = try (0..<4).map { _ in try client.get(feed).status }
            #expect(statuses == [200, 503, 503, 200])
            #expect(try client.get("/_control/faults").text.contains(#""seen":4,"fired":2"#))
            #expect(try client.raw(client.request("DELETE", "/_control/faults")).status == 200)
            #expect(try client.get("/_control/faults").text == #"{"faults":[]}"#)
        }
    }

    @Test func `a probable fault falls the same way for the same seed`() throws {
        func statuses() throws -> [Int] {
            var statuses: [Int] = []
            let fault = #""kind":"status","status":500,"probability":0.5,"times":0"#
            try withFault(fault) { client in
                statuses = try (0..<40).map { _ in try client.get(feed).status }
            }
            return statuses
        }
        let once = try statuses()
        #expect(once.contains(200) && once.contains(500))
        #expect(try statuses() == once)
    }

    @Test func `a cut body ends early and the next one is whole`() throws {
        try withFault(#""kind":"cut","after":100"#) { client in
            let reply = try client.get(feed)
            #expect(reply.status == 200 && reply.body.count == 100 && !reply.isWhole)
            #expect(try client.get(feed).isWhole)
            try eventually("the log says cut") {
                try client.get("/_control/log").text.contains(#""bytes":100,"state":"cut""#)
            }
        }
    }

    @Test func `a long length promises more than it sends`() throws {
        try withFault(#""kind":"long_length","extra":7"#) { client in
            let reply = try client.get(feed)
            #expect(reply.headers["content-length"] == String(reply.body.count + 7))
            #expect(throws: Never.self) { try reply.json() }
        }
    }

    @Test func `chunked bodies have no length`() throws {
        try withFault(#""kind":"chunked""#) { client in
            let reply = try client.get(feed)
            #expect(reply.headers["transfer-encoding"] == "chunked" && reply.isWhole)
        }
    }

    @Test(arguments: ["close", "reset"])
    func `the connection can end without a reply`(kind: String) throws {
        try withFault(#""kind":"\#(kind)""#) { client in
            let reply = try client.get(feed)
            #expect(reply.wire.isEmpty)
            #expect(reply.wasReset == (kind == "reset"))
        }
    }

    @Test func `raw bytes go out as they are`() throws {
        try withFault(#""kind":"raw","body":"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nlong""#) {
            let reply = try $0.get(feed)
            #expect(reply.text == "long" && reply.headers["content-length"] == "1")
        }
    }

    @Test(arguments: ["garbage", "html", "wrong_type", "deep", "huge"])
    func `bodies that are no page`(kind: String) throws {
        try withFault(#""kind":"\#(kind)","bytes":300000,"depth":5000"#) { client in
            let reply = try client.get(feed)
            #expect(reply.status == 200 && reply.isWhole)
            let videos = try? reply.json()["videos"] as? [[String: Any]]
            #expect(videos?.isEmpty ?? true)
            switch kind {
            case "html": #expect(reply.headers["content-type"]?.hasPrefix("text/html") == true)
            case "deep": #expect(reply.text.contains(String(repeating: "[", count: 5000)))
            case "huge": #expect(reply.body.count > 300_000)
            case "wrong_type": #expect(try reply.json()["nextCursor"] as? Int == 7)
            default: #expect(throws: (any Error).self) { try reply.json() }
            }
        }
    }

    @Test func `a gzip body is stored blocks and a bomb is a thousandth of its size`() throws {
        try withFault(#""kind":"gzip""#) { client in
            let reply = try client.get(feed)
            #expect(reply.headers["content-encoding"] == "gzip" && reply.body[0] == 0x1F)
            let plain = try client.get(feed).body
            #expect(Array(reply.body.dropFirst(15).dropLast(8)) == plain)
        }
        try withFault(#""kind":"gzip_bomb","bytes":100000000"#) { client in
            let reply = try client.get(feed)
            #expect(reply.isWhole && reply.body.count < 100_000)
        }
    }

    @Test func `an endless cursor is always new and never leads past the end`() throws {
        try withFault(#""kind":"endless_cursor","times":0"#) { client in
            var cursors: Set<String> = []
            var cursor = ""
            for _ in 0..<30 {
                let json = try client.get("\(feed)&cursor=\(percentEncoded(cursor))").json()
                cursor = try #require(json["nextCursor"] as? String)
                cursors.insert(cursor)
            }
            #expect(cursors.count == 30)
            #expect(
                try client.get("\(feed)&cursor=\(percentEncoded(cursor))").items("videos").isEmpty)
        }
    }

    @Test func `cursors can repeat, and go from A to B to A`() throws {
        func cursors(_ kind: String) throws -> [String] {
            var seen: [String] = []
            try withFault(#""kind":"\#(kind)","times":0"#) { client in
                for _ in 0..<4 {
                    let reply = try client.get("\(feed)&cursor=\(percentEncoded(seen.last ?? ""))")
                    seen.append(try #require(reply.json()["nextCursor"] as? String))
                }
            }
            return seen
        }
        #expect(Set(try cursors("repeated_cursor")).count == 1)
        let loop = try cursors("loop_cursor")
        #expect(loop[0] == loop[2] && loop[1] == loop[3] && loop[0] != loop[1])
    }

    @Test func `an empty page with a cursor loses nothing`() throws {
        try withFault(#""kind":"empty_page","nth":2,"times":2"#) { client in
            let live = try client.get("/_control/expected?user=ann").json()["live"] as? Int
            #expect(try client.feed("ann", limit: 10).count == live)
            #expect(try client.get("/_control/log").text.contains(#""fault":"empty_page""#))
        }
    }

    @Test func `duplicates come at the end of the page`() throws {
        try withFault(#""kind":"duplicates","count":3"#) { client in
            let got = ids(try client.get(feed).items("videos"))
            #expect(got.count == 13 && got.suffix(3) == got.prefix(3))
        }
    }

    @Test func `a redirect names its target and an echo tells secrets`() throws {
        try withFault(#""kind":"redirect","location":"http://169.254.169.254/","status":307"#) {
            let reply = try $0.get(feed)
            #expect(reply.status == 307 && reply.headers["location"] == "http://169.254.169.254/")
        }
        try withFault(#""kind":"echo""#) { client in
            let reply = try client.get(feed + "&key=s3cret", ["Authorization": "Bearer t0ken"])
            #expect(reply.status == 400)
            #expect(reply.text.contains("Bearer t0ken") && reply.text.contains("key=s3cret"))
        }
    }

    @Test func `a delay holds the first byte back and nobody else`() throws {
        try withFault(#""kind":"slow","delay_ms":400"#) { client in
            let file = try client.connect()
            defer { close(file) }
            let begin = monotonicClock()
            client.write(file, client.request("GET", feed))
            #expect(try client.get("/health").status == 200)
            #expect(monotonicClock() - begin < 400)
            var byte: UInt8 = 0
            #expect(recv(file, &byte, 1, 0) == 1)
            #expect(monotonicClock() - begin >= 399)
        }
    }

    @Test(arguments: [#""kind":"hang""#, #""kind":"hang_after","after":50"#])
    func `a hanging reply ends when the client leaves or the test releases it`(fault: String)
        throws
    {
        try withFault(fault + #","times":0"#) { client in
            let left = try client.connect()
            client.write(left, client.request("GET", feed))
            try eventually("it hangs") {
                try client.get("/_control/summary").json()["open"] as? Int == 1
            }
            close(left)
            try eventually("it is noticed that the client left") {
                try client.get("/_control/summary").json()["open"] as? Int == 0
            }
            let file = try client.connect()
            defer { close(file) }
            client.write(file, client.request("GET", feed))
            try eventually("it hangs") {
                try client.get("/_control/summary").json()["open"] as? Int == 1
            }
            // The body's reader may go to sleep a moment after the request was counted.
            try eventually("it is released") {
                try client.command("release", "")
                return try client.get("/_control/summary").json()["open"] as? Int == 0
            }
        }
    }
}
