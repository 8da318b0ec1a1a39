import Foundation
import JobFiles
import Postgres
import Testing

/// Each shipped job against what its source says it holds: every column of every row.
///
/// A column that a job file gets later fails here by its name until it is compared too.
@Suite struct AppColumnsTests {
    @Test func `every column of metube.refresh is what the hub holds`() async throws {
        try await withWorld { world in
            try await world.expectTruth()
            try await world.addUser("ann", videos: 300, channels: ["c1", "ü\"2"])
            // Published when they are added, to the millisecond.
            try await world.source.add(7, to: "ann", clean: false)
            try await world.drain()
            #expect(try await world.unfinished() == [])
            let held = try await world.source.text("GET", "expected?user=ann")
            try await world.takeTruth(held, member: "videos", kind: "hub_video", user: "ann")
            try await world.takeTruth(
                Array(#"{"ids": ["c1", "ü\"2"]}"#.utf8), member: "ids", kind: "hub_channel",
                user: "ann")
            try await world.compareAllColumns([
                TruthTable(
                    "hub_video", key: ["video_id"],
                    [
                        "video_id": "e.r ->> 'video_id'", "channel_id": "e.r ->> 'channel_id'",
                        "published_at": "e.r ->> 'published_at'", "title": "e.r ->> 'title'",
                        "description": "e.r ->> 'description'",
                        "thumbnail_url": "e.r ->> 'thumbnail_url'",
                        "duration_s": "e.r ->> 'duration_s'",
                        "last_modified": TruthTable.recent("last_modified"),
                    ]), TruthTable.channels(areSent: true),
            ])
        }
    }

    @Test func `every column of metube.worker is what the back end serves`() async throws {
        let path = packageRoot.appending(path: "jobs/metube/worker.yaml")
        try await withWorld(try String(contentsOf: path, encoding: .utf8)) { world in
            try await world.expectTruth()
            try await world.addUser("ann", videos: 300, channels: ["c1"])
            try await world.source.add(7, to: "ann", clean: false)
            try await world.sql(
                "select jobrunner.set_source('acme', $1, $2)", .text(world.file.source.id),
                .text(world.source.base + "/worker/ann"))
            try await world.drain()
            #expect(try await world.unfinished() == [])
            let served = try await world.source.answer(
                "POST", "worker/ann/api/videos/query",
                #"{"channelIds": ["c1"], "afterSeq": 0, "limit": 500}"#)
            try await world.takeTruth(served, member: "videos", kind: "hub_video", user: "ann")
            try await world.takeTruth(
                Array(#"{"ids": ["c1"]}"#.utf8), member: "ids", kind: "hub_channel", user: "ann")
            try await world.compareAllColumns([
                TruthTable(
                    "hub_video", key: ["video_id"],
                    [
                        "video_id": "e.r ->> 'videoId'", "channel_id": "e.r ->> 'channelId'",
                        "published_at": "e.r ->> 'publishedAt'", "title": "e.r ->> 'title'",
                        "duration_s": "e.r ->> 'durationSeconds'",
                        "last_modified": TruthTable.recent("last_modified"),
                    ]), TruthTable.channels(areSent: false),
            ])
        }
    }
}

extension TruthTable {
    /// What a list that was given as ids knows of them.
    static func channels(areSent: Bool) -> TruthTable {
        TruthTable(
            "hub_channel", key: ["channel_id"],
            [
                "channel_id": "e.r #>> '{}'", "name": "null", "thumbnail_url": "null",
                "description": "null", "uploads_playlist_id": "null",
                "last_modified": recent("last_modified"), "synced": areSent ? "true" : "false",
            ])
    }
}
