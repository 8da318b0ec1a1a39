import JSON
import Testing

/// Records that a source keys by their ids, as exchange rates are.
@Suite struct MapListTests {
    private static let yaml = World.heard(
        request: "path: /generic/{user.hub_user_id}/heard", page: "style: single",
        write: "mode: replace_all",
        at: "data.rates[]",
        fields: """
            id: { at: key, type: text, required: true }
            seq: { at: value.rate, type: int, required: true }
            name: { at: value.name, type: text }
            """, records: "map_as_list: true")

    private func rows(_ world: World) async throws -> [String] {
        try await world.texts(
            "select concat_ws(' ', id, seq, name) from synced.generic_item order by id")
    }

    @Test func `each member of a map is a record under its name, and goes when the map lacks it`()
        async throws
    {
        try await withWorld(Self.yaml, videos: 0) { world in
            let page =
                #"{"data": {"rates": {"EUR": {"rate": 3, "name": "Euro"}, "U.S": {"rate": 4}}}, "n": 1.50}"#
            try await world.answerNext(page)
            try await world.drain()
            #expect(try await rows(world) == ["EUR 3 Euro", "U.S 4"])
            let before = try await world.texts("select xmin::text from synced.generic_item")
            try await world.answerNext(page)
            try await world.runAgain()
            #expect(try await world.texts("select xmin::text from synced.generic_item") == before)
            for _ in 1...2 {
                try await world.answerNext(#"{"data": {"rates": {"EUR": {"rate": 5}}}}"#)
                try await world.runAgain()
            }
            #expect(try await rows(world) == ["EUR 5"])
        }
    }

    @Test(arguments: [
        (#"{"data": {"rates": {}}}"#, "complete"), (#"{"data": {"rates": []}}"#, "complete"),
        (#"{"data": {}}"#, "failed malformed"), (#"{"data": {"rates": 7}}"#, "failed malformed"),
        (#"{"data": {"rates": {"EUR": 7}}}"#, "failed incompatible"),
    ])
    func `a map without members is an empty list, and what is none fails`(
        page: String, end: String
    ) async throws {
        try await withWorld(Self.yaml, videos: 0) { world in
            try await world.answerNext(page)
            try await world.drain()
            let job = try await world.job("ann")
            let words = [job.text("last_outcome"), job.text("last_error_kind")].compactMap(\.self)
            #expect(words.joined(separator: " ") == end)
        }
    }

    private static let lines = World.heard(
        request: "path: /generic/{user.hub_user_id}/heard", page: "style: single",
        write: "mode: replace_all", at: "[]",
        fields: """
            id: { at: id, type: text, required: true }
            name: { at: name, type: text }
            """, records: "lines: true")

    @Test func `each line of an export is a record, and an export without any is an empty list`()
        async throws
    {
        try await withWorld(Self.lines, videos: 0) { world in
            func rows() async throws -> [String] {
                try await world.texts(
                    "select concat_ws(' ', id, name) from synced.generic_item order by id")
            }
            try await world.answerNext(
                "{\"id\": \"a\", \"name\": \"x\\ny\"}\r\n \r\n{\"id\": \"b\"}\n")
            try await world.drain()
            #expect(try await rows() == ["a x\ny", "b"])
            for broken in ["{\"id\": \"a\"}\n{\"id\"", "a: 1\n"] {
                try await world.answerNext(broken)
                try await world.given(.due(.failed))
                try await world.runAgain()
                let job = try await world.job("ann")
                let error = job.text("last_error") ?? ""
                #expect(error.contains("the page is no JSON value a line"), "\(error)")
                #expect(try await rows().count == 2)
            }
            for _ in 1...2 {
                try await world.answerNext("")
                try await world.given(.due(.failed))
                try await world.runAgain()
            }
            #expect(try await rows().isEmpty)
        }
    }
}
