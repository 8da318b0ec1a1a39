import JSON
import Testing

/// Lists that a source writes as an object of the same things, under names that mean nothing.
@Suite struct ValuesListTests {
    private static func yaml(_ key: String) -> String {
        World.heard(
            request: "path: /generic/{user.hub_user_id}/heard", page: "style: single",
            at: "groups[].item",
            fields: """
                id: { at: id, type: text, required: true }
                seq: { at: seq, type: int, required: true }
                """, records: key)
    }

    @Test(arguments: [
        (
            #"{"groups": {"x": {"item": {"id": "a", "seq": 1}}, "y": {"item": {"id": "b", "seq": 2}}}}"#,
            "a1 b2"
        ),
        (
            #"{"groups": [{"item": {"id": "a", "seq": 1}}, {"other": 1}, {"item": {"id": "b", "seq": 2}}]}"#,
            "a1 b2"
        ),
        (#"{"groups": {}}"#, ""), (#"{"groups": []}"#, ""),
    ])
    func `an object and a list are the same list`(page: String, rows: String) async throws {
        try await withWorld(Self.yaml("values_as_list: true"), videos: 0) { world in
            try await world.answerNext(page)
            try await world.drain()
            #expect(try await world.job("ann").text("last_outcome") == "complete")
            let found = try await world.texts(
                "select concat(id, seq) from synced.generic_item order by id")
            #expect(found.joined(separator: " ") == rows)
        }
    }

    @Test(arguments: [
        ("", #"{"groups": {"x": {"item": {"id": "a", "seq": 1}}}}"#),
        ("values_as_list: true", #"{"groups": 7}"#),
    ])
    func `an object is no list unless the file says so, and a number never is`(
        key: String, page: String
    ) async throws {
        try await withWorld(Self.yaml(key), videos: 0) { world in
            try await world.answerNext(page)
            try await world.drain()
            #expect(try await world.outcomes("ann") == ["failed malformed"])
        }
    }
}
