import Foundation
import JSON
import JobFiles
import Postgres
import Testing

/// MeTube's present back end: `POST …/videos/query` with `afterSeq`.
@Suite struct KeysetTests {
    private static func yaml(size: Int = 500) throws -> String {
        let path = packageRoot.appending(path: "jobs/metube/worker.yaml")
        let text = try String(contentsOf: path, encoding: .utf8)
        precondition(text.contains("size: 500"))
        return text.replacing("size: 500", with: "size: \(size)")
    }

    /// Lends a world whose only user has so many videos and channels.
    private func lend(
        videos: Int, channels: Int, size: Int = 500, _ body: (World) async throws -> Void
    ) async throws {
        try await withWorld(Self.yaml(size: size)) { world in
            try await world.addUser(
                "ann", videos: videos, channels: (0..<channels).map { "c\($0)" })
            // There the user is a part of the address.
            try await world.sql(
                "select jobrunner.set_source('acme', $1, $2)", .text(world.file.source.id),
                .text(world.source.base + "/worker/ann"))
            try await body(world)
        }
    }

    private func pages(_ world: World) async throws -> [Int] {
        try await world.source.asked("query").map(\.records)
    }

    /// What a chunk's checkpoint keeps.
    private func positions(_ world: World) async throws -> Set<String> {
        Set(try await world.texts("select sync_token from jobrunner.checkpoints"))
    }

    @Test func `MH33 of 700 channels three passes are made, none with more than 300 ids`()
        async throws
    {
        try await lend(videos: 40, channels: 700) { world in
            try await world.drain()
            // The source refuses more than 300 ids and more than 500 records.
            let asked = try await world.source.asked("query")
            #expect(asked.map(\.status) == [200, 200, 200])
            #expect(
                try await world.value("select count(*) from jobrunner.checkpoints") == "3")
            #expect(
                try await world.texts("select distinct sync_token from jobrunner.checkpoints")
                    == ["40"])
            #expect(try await world.unfinished() == [])
            // It answers each with all the user's videos: the second and third bring nothing new.
            let run = try #require(try await world.runs("ann").last)
            #expect(run.int("fetched") == 120)
            #expect(
                try await world.value("select count(*) from synced.hub_video")
                    == run.int("inserted").map(String.init))
        }
    }

    @Test(arguments: [(1200, [500, 500, 200]), (1000, [500, 500, 0]), (0, [0])])
    func `MH33 a pass ends at a short page or an empty one`(videos: Int, sizes: [Int]) async throws
    {
        try await lend(videos: videos, channels: 3) { world in
            try await world.drain()
            #expect(try await pages(world) == sizes)
            #expect(try await world.unfinished() == [])
            #expect(
                try await world.value(
                    "select sum((counters).fetched)::bigint from jobrunner.runs")
                    == (videos == 0 ? nil : "\(videos)"))
        }
    }

    @Test func `MH33 a position that does not move ends a pass`() async throws {
        try await lend(videos: 4, channels: 3, size: 2) { world in
            let video =
                #"{"videoId": "v", "channelId": "c0", "publishedAt": "2025-01-01T00:00:00Z"}"#
            let body = #"{"videos": [\#(video), \#(video)], "maxSeqReturned": 2}"#
            try await world.source.fault(
                #"{"kind": "garbage", "body": \#(JSONValue.string(body).text), "nth": 2}"#)
            try await world.drain()
            #expect(try await pages(world).count == 2)
            #expect(try await world.unfinished() == [])
            #expect(try await positions(world) == ["2"])
        }
    }

    @Test func `MH33 the position outlives the run, and the next asks for what is newer`()
        async throws
    {
        try await lend(videos: 30, channels: 301, size: 10) { world in
            try await world.drain()
            #expect(try await positions(world) == ["30"])
            let before = try await pages(world).count
            try await world.source.add(4, to: "ann")
            try await world.runAgain()
            #expect(Array(try await pages(world).dropFirst(before)) == [4, 4])
            #expect(try await positions(world) == ["34"])
            let run = try #require(try await world.runs("ann").last)
            #expect(run.int("inserted") == 4)
            // The second chunk shows the same ones: its end travels with the outcome and counts nothing.
            #expect(run.int("fetched") == 4)
            // With nothing new there is one empty page a chunk.
            let rows = try await world.versions()
            let pagesBefore = try await pages(world).count
            try await world.runAgain()
            #expect(Array(try await pages(world).dropFirst(pagesBefore)) == [0, 0])
            #expect(try await world.versions() == rows)
            #expect(try await positions(world) == ["34"])
        }
    }

    @Test func `MH33 a run that fails in its second chunk goes on there`() async throws {
        try await lend(videos: 30, channels: 301, size: 10) { world in
            // Four requests end the first chunk; this is the second page of the second.
            try await world.source.fault(#"{"kind": "status", "status": 400, "nth": 6}"#)
            try await world.drain()
            #expect(try await world.job("ann").text("last_outcome") == "failed")
            let before = try await pages(world).count
            try await world.runAgain()
            #expect(try await world.unfinished() == [])
            // The rest of the second; the first was read to its end by the run before.
            let asked = Array(try await pages(world).dropFirst(before))
            #expect(asked == [10, 10, 0])
            #expect(try await positions(world) == ["30"])
        }
    }

    @Test func `MH33 without channels nothing is asked`() async throws {
        try await lend(videos: 5, channels: 0) { world in
            try await world.drain()
            #expect(try await pages(world) == [])
            #expect(try await world.unfinished() == [])
        }
    }
}
