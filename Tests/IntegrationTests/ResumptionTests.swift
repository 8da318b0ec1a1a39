import JSON
import Postgres
import Testing

/// Lists whose last page says where the next pass begins.
@Suite struct ResumptionTests {
    /// As Google's calendars: an empty list is left out, what is gone is `cancelled`, and the sync token is on the last page.
    private static let calendar = World.heard(
        request: """
            path: /generic/{user.hub_user_id}/heard
            query: { pageToken: "{page.token}", syncToken: "{since}" }
            """,
        page: "style: token, token_at: nextPageToken, resume_at: nextSyncToken",
        write:
            "mode: overwrite, deletes: { flag_at: status, flag_is: [cancelled], tombstones: delete }",
        fields: """
            id: { at: id, type: text, required: true }
            name: { at: summary, type: text }
            """, records: "absent: empty")

    /// As Microsoft's delta queries: both links are addresses.
    private static let drive = World.heard(
        request: "path: /generic/{user.hub_user_id}/heard",
        page:
            #"style: next_url, url_at: '["@odata.nextLink"]', resume_at: '["@odata.deltaLink"]', origin: base"#,
        at: "value[]",
        fields: """
            id: { at: id, type: text, required: true }
            name: { at: name, type: text }
            """)

    private func rows(_ world: World) async throws -> String? {
        try await world.value(
            "select string_agg(id || '=' || coalesce(name, ''), ' ' order by id) from synced.generic_item"
        )
    }

    @Test func `a calendar's sync token is taken from its last page and asks for what has changed`()
        async throws
    {
        try await withWorld(Self.calendar, videos: 0) { world in
            try await world.answerNext(
                #"{"items": [{"id": "a", "summary": "one"}], "nextPageToken": "p2"}"#,
                #"{"items": [{"id": "b", "summary": "two"}], "nextSyncToken": "s1"}"#)
            try await world.drain()
            #expect(try await rows(world) == "a=one b=two")
            try await world.answerNext(
                #"{"items": [{"id": "a", "status": "cancelled"}, {"id": "c", "summary": "new"}], "nextSyncToken": "s2"}"#
            )
            try await world.runAgain()
            #expect(try await rows(world) == "b=two c=new")
            // Nothing has changed: the list is not there at all.
            try await world.answerNext(#"{"nextSyncToken": "s2"}"#)
            let before = try await world.value(
                "select string_agg(xmin::text, ',') from synced.generic_item")
            try await world.runAgain()
            #expect(
                try await world.value("select string_agg(xmin::text, ',') from synced.generic_item")
                    == before)
            #expect(
                try await world.heard() == ["", "pageToken=p2", "syncToken=s1", "syncToken=s2"])
        }
    }

    @Test func `a delta link is asked as it is, and a run that was cut off goes on at its page`()
        async throws
    {
        try await withWorld(Self.drive, videos: 0) { world in
            let here = "\(world.source.base)/generic/ann/heard"
            try await world.answerNext(
                #"{"value": [{"id": "a", "name": "one"}], "@odata.nextLink": "\#(here)?skip=1"}"#)
            try await world.source.fault(
                #"{"kind": "status", "status": 503, "headers": {"Retry-After": "3600"}}"#)
            try await world.drain()
            #expect(try await rows(world) == "a=one")
            try await world.answerNext(
                #"{"value": [{"id": "b", "name": "two"}], "@odata.deltaLink": "\#(here)?delta=1"}"#)
            try await world.given(.undeferred(.waiting), .due(.waiting))
            try await world.drain()
            try await world.answerNext(
                #"{"value": [{"id": "b", "name": "other"}], "@odata.deltaLink": "\#(here)?delta=2"}"#
            )
            try await world.runAgain()
            #expect(try await rows(world) == "a=one b=other")
            #expect(try await world.heard() == ["", "skip=1", "skip=1", "delta=1"])
        }
    }

    @Test func `a token that the source refuses twice has everything read anew`() async throws {
        try await withWorld(Self.calendar, videos: 0) { world in
            try await world.answerNext(
                #"{"items": [{"id": "a", "summary": "one"}], "nextSyncToken": "s1"}"#)
            try await world.drain()
            for _ in 1...2 {
                try await world.source.fault(#"{"kind": "status", "status": 410, "body": "{}"}"#)
                if try await world.heard().count == 2 {
                    try await world.answerNext(
                        #"{"items": [{"id": "b", "summary": "two"}], "nextSyncToken": "s9"}"#)
                }
                try await world.given(.due(.failed))
                try await world.runAgain()
            }
            #expect(try await world.heard() == ["", "syncToken=s1", "syncToken=s1", ""])
            #expect(try await rows(world) == "a=one b=two")
            #expect(try await world.checkpoint("ann").text("sync_token") == "s9")
        }
    }

    @Test func `a last page without its token is malformed, and moves nothing`() async throws {
        try await withWorld(Self.calendar, videos: 0) { world in
            try await world.answerNext(#"{"items": [{"id": "a", "summary": "one"}]}"#)
            try await world.drain()
            #expect(try await world.outcomes("ann") == ["failed malformed"])
            #expect(try await rows(world) == nil)
        }
    }

    /// As Dropbox's folders: one address begins the list, and another one goes on, for ever.
    private static let folder = World.heard(
        request: """
            path: /generic/{user.hub_user_id}/heard
            query: { folder: root }
            """,
        page: "style: sync_token, token_at: cursor, more_at: has_more",
        parts: """
            continue:
              path: /generic/{user.hub_user_id}/heard
              query: { cursor: "{page.token}" }
            """)

    @Test func `another request goes on with a list, in the same pass and in the next ones`()
        async throws
    {
        func answer(_ id: String, _ rest: String) -> String {
            #"{"items": [{"id": "\#(id)", "seq": 1, "name": "x"}], \#(rest)}"#
        }
        try await withWorld(Self.folder, videos: 0) { world in
            try await world.answerNext(
                answer("a", #""cursor": "c1", "has_more": true"#),
                answer("b", #""cursor": "c2", "has_more": false"#))
            try await world.drain()
            try await world.answerNext(answer("c", #""cursor": "c3", "has_more": false"#))
            try await world.runAgain()
            #expect(
                try await world.value(
                    "select string_agg(id, '' order by id) from synced.generic_item") == "abc")
            // A full pass begins at the first address again.
            try await world.given(.fullAsked())
            try await world.answerNext(answer("a", #""cursor": "c4", "has_more": false"#))
            try await world.runAgain()
            #expect(
                try await world.heard() == ["folder=root", "cursor=c1", "cursor=c2", "folder=root"])
        }
    }
}
