import JSON
import Postgres
import Testing

/// A zone that another user shares: it is found by its owner's name as well.
@Suite struct SharedZoneTests {
    private static let zone = "WatchedStatusZone"
    /// MeTube's job over the statuses that somebody else shares.
    private static let shared = [
        ("database: private", "database: shared"),
        (
            "  - cloudkit: ensure_zone\n    zone: \(zone)\n    remember: true                        # later runs do not look again\n",
            ""
        ),
        ("[cloudkit.create_zone, forget_token]", "[forget_token]"),
        ("      zone: \(zone)\n", "      zone: \(zone)\n      owner: \"{user.shared_owner}\"\n"),
    ]

    private func share(_ world: World, owner: String) async throws {
        try await world.given(.attributes(#"{"shared_owner": "\#(owner)"}"#))
        try await world.cloud(
            .metube, "records",
            #"""
            "user": "\#(userName(1))", "database": "shared", "zone": "\#(Self.zone)", "records": [
              {"recordName": "theirs", "recordType": "WatchedStatus", "fields": {
                "videoId": {"value": "theirs"}, "status": {"value": "watched"},
                "lastModified": {"value": 1735689600000, "type": "TIMESTAMP"}}}]
            """#)
    }

    @Test func `OW13 records of a shared zone are read, and edits of them are sent to their owner`()
        async throws
    {
        try await withStatuses(2, changes: Self.shared) { world in
            try await share(world, owner: "_sharer")
            try await world.drain()
            #expect(try await world.outcomes(userName(1)) == ["complete"])
            #expect(
                try await world.texts("select video_id || ' ' || status from synced.watched_status")
                    == ["theirs watched"])
            try await world.sql(
                "update synced.watched_status set status = 'skipped', synced = false, last_modified = last_modified + interval '1 hour'"
            )
            try await world.runAgain()
            #expect(try await world.value("select synced from synced.watched_status") == "true")
            let held = try await world.source.command(
                "GET",
                "cloudkit/records?container=\(CloudApp.metube.container)&database=shared&user=\(userName(1))&zone=\(Self.zone)"
            )
            let status = held["records"]?.elements.map { $0["fields"]?["status"]?.text("value") }
            #expect(status == ["skipped"])
        }
    }

    @Test func `a zone that its owner does not share is not found`() async throws {
        try await withStatuses(2, changes: Self.shared) { world in
            try await share(world, owner: "_nobody")
            try await world.drain()
            let job = try await world.job(userName(1))
            #expect(job.text("last_outcome") == "failed")
            #expect(job.text("last_error")?.contains("ZONE_NOT_FOUND") == true)
            #expect(try await world.value("select count(*) from synced.watched_status") == "0")
        }
    }
}
