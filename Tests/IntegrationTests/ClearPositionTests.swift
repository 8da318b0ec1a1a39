import Foundation
import JSON
import Testing

/// A secret that a source repeats in a position is stored nowhere in clear.
@Suite struct ClearPositionTests {
    private static let canary = "cAn4ry-T0ken/1+2="

    /// The forms in which a source repeats it here.
    private static let echoes = [
        canary, canary.uppercased(), "x \(canary) y",
        canary.replacing("/", with: "%252F").replacing("+", with: "%252B")
            .replacing("=", with: "%253D"),
        Data(#"{"key": "\#(canary)", "page": 2}"#.utf8).base64EncodedString(),
    ]

    /// A place of an answer that a checkpoint keeps, and how the run is to speak of it.
    struct Place: Sendable, CustomTestStringConvertible {
        var name: String
        var page: String
        var words: String
        var body = #"{"items": [{"id": "1", "seq": 1}], "next": ECHO}"#
        var headers = "{}"
        var parts = ""
        var fields = World.standardFields
        var write = "mode: overwrite"
        var testDescription: String { name }
    }

    private static let next = "the position of the next page repeats secret 'key'"
    private static let begin = "the position that the next pass begins at repeats secret 'key'"
    private static let named = #"{"items": [{"id": "1", "seq": 1, "name": ECHO}]}"#
    private static let nameRequired = World.standardFields.replacing(
        "name, type: text", with: "name, type: text, required: true")
    private static let one = #"{"items": [{"id": "1", "seq": 1}]}"#

    private static let places = [
        Place(name: "cursor", page: "style: token, token_at: next", words: next),
        Place(
            name: "cursor in a header", page: "style: token, token_at: { header: X-Next }",
            words: next, body: one, headers: #"{"X-Next": ECHO}"#),
        Place(
            name: "cursor of the last record", page: "style: token, token_at: { last: name }",
            words: next, body: named),
        Place(name: "keyset", page: "style: keyset, token_at: next, start: a", words: next),
        Place(
            name: "keyset that is kept",
            page: "style: keyset, token_at: next, start: a, persist: true", words: next),
        Place(
            name: "keyset of a field", page: "style: keyset, by: name, start: a", words: next,
            body: named, fields: nameRequired),
        Place(
            name: "sync token", page: "style: sync_token, token_at: next, more_at: more",
            words: begin, body: #"{"items": [], "next": ECHO, "more": false}"#),
        Place(
            name: "sync token on the way",
            page: "style: sync_token, token_at: next, more_at: more", words: next,
            body: #"{"items": [], "next": ECHO, "more": true}"#),
        Place(
            name: "probe", page: "style: single",
            words: "the answer to the probe repeats secret 'key'", body: #"{"tag": [ECHO]}"#,
            parts: """
                probe:
                  request: { path: "/generic/{user.hub_user_id}/heard" }
                  skip_if_same: [tag]
                  full_every: 24h
                """),
    ]

    private static func yaml(_ place: Place) -> String {
        World.heard(
            request: """
                path: /generic/{user.hub_user_id}/heard
                query: { after: "{page.token}" }
                """, page: place.page, parts: place.parts,
            source: #"auth: { type: bearer, token: "{secret.key}" }"#, write: place.write,
            fields: place.fields
        ).replacing(
            place.page == "style: single" ? #"    query: { after: "{page.token}" }"# : "\u{0}",
            with: "")
    }

    private func leaks(_ world: World) async throws -> [String] {
        let pieces = ["can4ry", "y0fuNHJ5".lowercased(), "-t0ken"]
        return try await world.everyText().filter { text in
            pieces.contains { text.lowercased().contains($0) }
        }
    }

    @Test(arguments: places)
    func `a position that repeats a secret fails the run, and its page is not stored`(
        _ place: Place
    ) async throws {
        try await withWorld(Self.yaml(place), sealer: true, videos: 0) { world in
            try await world.store(Self.canary, as: "key", of: "ann")
            for echo in Self.echoes {
                let text = JSONValue.string(echo).text
                try await world.source.heal()
                try await world.answerNext(
                    place.body.replacing("ECHO", with: text),
                    headers: place.headers.replacing("ECHO", with: text))
                try await world.sql("select jobrunner.retry_jobs('acme')")
                try await world.runAgain()
                #expect(try await world.outcomes("ann").last == "failed malformed", "\(echo)")
                let error = try await world.job("ann").text("last_error") ?? ""
                #expect(error.contains(place.words), "\(echo): \(error)")
            }
            #expect(try await leaks(world) == [])
            #expect(try await world.value("select count(*) from synced.generic_item") == "0")
            // A position without a secret goes on where the pass stands.
            try await world.source.heal()
            try await world.answerNext(place.body.replacing("ECHO", with: #""harmless""#))
            try await world.sql("select jobrunner.retry_jobs('acme')")
            try await world.runAgain()
            #expect(
                try await world.job("ann").text("last_error")?.contains("repeats") != true)
        }
    }

    @Test func `a watermark that is a secret fails the run`() async throws {
        let number = "48151623421080"
        let file = World.heard(
            request: """
                path: /generic/{user.hub_user_id}/heard
                query: { since: "{since}" }
                """, page: "style: single",
            parts: "incremental: { watermark: max_seen, format: raw }",
            source: #"auth: { type: header, name: X-Key, value: "{secret.key}" }"#,
            write: "mode: newest_wins, newer_by: seq")
        try await withWorld(file, sealer: true, videos: 0) { world in
            try await world.store(number, as: "key", of: "ann")
            try await world.answerNext(#"{"items": [{"id": "1", "seq": \#(number)}]}"#)
            try await world.drain()
            #expect(try await world.outcomes("ann") == ["failed malformed"])
            let error = try await world.job("ann").text("last_error")
            #expect(error?.contains("the watermark repeats secret 'key'") == true)
            #expect(try await world.everyText().allSatisfy { !$0.contains(number) })
        }
    }

    @Test(arguments: ["ETag", "Last-Modified"])
    func `a validator that repeats a secret is not kept, and the next run asks without it`(
        _ header: String
    ) async throws {
        let file = World.heard(
            request: "path: /generic/{user.hub_user_id}/heard", page: "style: single",
            parts: "conditional: true",
            source: #"auth: { type: bearer, token: "{secret.key}" }"#)
        try await withWorld(file, sealer: true, videos: 0) { world in
            try await world.store(Self.canary, as: "key", of: "ann")
            for echo in Self.echoes {
                let text = JSONValue.string(echo).text
                try await world.answerNext(Self.one, headers: #"{"\#(header)": \#(text)}"#)
                try await world.runAgain()
                #expect(try await world.job("ann").text("last_outcome") == "complete")
                #expect(try await world.checkpoint("ann").isNull("validator"))
            }
            #expect(try await leaks(world) == [])
            try await world.answerNext(Self.one, headers: #"{"ETag": "\"harmless\""}"#)
            try await world.runAgain()
            #expect(try await !world.checkpoint("ann").isNull("validator"))
        }
    }

    /// Ways in which requests are signed by a secret of the file, and what of it a page may repeat.
    private static let signings = [
        #"auth: { type: bearer, token: "{secret.key}" }"#,
        #"auth: { type: header, name: X-Key, value: "{secret.key}" }"#,
        #"auth: { type: basic, user: me, password: "{secret.key}" }"#,
        #"headers: { X-Key: "{secret.key}" }"#,
    ]

    @Test(arguments: signings, ["next_url, url_at: next", "link_header"])
    func `a next address is kept without what signs the requests, and asked for with it`(
        _ signing: String, _ style: String
    ) async throws {
        let file = World.heard(
            request: "path: /generic/{user.hub_user_id}/heard", page: "style: \(style)",
            source: signing)
        let encoded = "cAn4ry-T0ken%2F1%2B2%3D"
        let next = "?access_token=\(encoded)&page=2"
        try await withWorld(file, sealer: true, videos: 0) { world in
            try await world.store(Self.canary, as: "key", of: "ann")
            let link = JSONValue.string("<\(next)>; rel=\"next\"").text
            try await world.answerNext(
                #"{"items": [{"id": "1", "seq": 1}], "next": \#(JSONValue.string(next).text)}"#,
                headers: style == "link_header" ? #"{"Link": \#(link)}"# : "{}")
            try await world.source.fault(#"{"kind": "status", "status": 400}"#)
            try await world.drain()
            let kept = try await world.checkpoint("ann").text("cursor")
            #expect(kept?.hasSuffix("?access_token={secret.key}&page=2") == true, "\(kept ?? "")")
            #expect(try await leaks(world) == [])
            try await world.answerNext(#"{"items": [{"id": "2", "seq": 2}]}"#)
            try await world.runAgain()
            #expect(try await world.job("ann").text("last_outcome") == "complete")
            let asked = try await world.heard().last ?? ""
            #expect(asked.contains("page=2") && asked.contains(Self.canary), "\(asked)")
        }
    }

    @Test(arguments: ["/generic/ann/heard/ECHO/x", "?state=ECHO", "?a=1#ECHO"])
    func `a next address that repeats the secret in base64 fails the run`(_ next: String)
        async throws
    {
        let file = World.heard(
            request: "path: /generic/{user.hub_user_id}/heard",
            page: "style: next_url, url_at: next",
            source: #"auth: { type: bearer, token: "{secret.key}" }"#)
        let encoded = Data("key=\(Self.canary);".utf8).base64EncodedString()
        try await withWorld(file, sealer: true, videos: 0) { world in
            try await world.store(Self.canary, as: "key", of: "ann")
            let address = JSONValue.string(next.replacing("ECHO", with: encoded)).text
            try await world.answerNext(#"{"items": [{"id": "1", "seq": 1}], "next": \#(address)}"#)
            try await world.drain()
            // A fragment is never sent, and so never kept.
            let isSent = !next.contains("#")
            let outcome = try await world.outcomes("ann").first
            #expect((outcome == "failed malformed") == isSent, "\(outcome ?? "")")
            #expect(try await leaks(world) == [])
        }
    }
}
