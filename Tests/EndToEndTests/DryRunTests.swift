import FakeSource
import Foundation
import JSON
import Testing

@Suite struct DryRunTests {
    private let ann = "dry-run demo.items --tenant acme --user ann"

    @Test func `a dry run tells what a run would write, and stores nothing`() async throws {
        try await Installation.withSource { installation, _ in
            let before = try await installation.fingerprint()
            let dry = try await installation.json(ann)
            #expect(try await installation.fingerprint() == before)
            let item = try #require(dry["entities"]?.elements?.first)
            #expect(item["pass"] == .string("full"))
            #expect(item["pages"]?.int == 3)
            #expect(item["fetched"]?.int == 60)
            #expect(item["inserted"]?.int == 60)
            #expect(item["changes"]?.elements?.count == 3)
            #expect(item["changes"]?.elements?.first?["before"] == .null)
            #expect(dry["outcome"] == .string("complete"))

            let worked = try await installation.run("worker --drain")
            #expect(worked.code == 0)
            let runs = try await installation.json("runs --tenant acme")
            #expect(runs.elements?.first?["inserted"]?.int == 60)
        }
    }

    @Test func `a dry run of pages goes no further than asked, and says where it would go on`()
        async throws
    {
        try await Installation.withSource { installation, _ in
            let text = try await installation.ok(ann + " --pages 1")
            #expect(
                text.hasPrefix(
                    "dry run of demo.items of user ann: no row, checkpoint or outcome is stored\n"
                        + "item: full pass, 1 page: 25 fetched, 25 inserted\n  + {"))
            #expect(text.contains("\n  it would go on after page 1\n"))
            #expect(text.hasSuffix("it would end complete\n"))
        }
    }

    @Test func `a dry run shows rows before and after, and what a full pass would sweep`()
        async throws
    {
        try await Installation.withSource { installation, source in
            let worked = try await installation.run("worker --drain")
            #expect(worked.code == 0)
            try await installation.command(
                source, "change",
                #"{"op":"edit","user":"user-000001","count":1,"name":"renamed"}"#)
            try await installation.command(
                source, "change", #"{"op":"remove","user":"user-000001","count":2}"#)
            let changed = try await installation.ok(ann)
            #expect(changed.contains(#""} name: "#) && changed.contains(#" → "renamed""#))
            #expect(changed.contains(#"  ~ {"item_id":""#))
            // The first full pass that lacks a row only notes it.
            try await installation.ok("enqueue demo.items --tenant acme --user ann --full")
            #expect(try await installation.run("worker --drain").code == 0)
            try await installation.command(
                source, "change",
                #"{"op":"edit","user":"user-000001","count":1,"name":"renamed"}"#)
            let before = try await installation.fingerprint()
            let dry = try await installation.json(ann + " --full")
            #expect(try await installation.fingerprint() == before)
            let item = try #require(dry["entities"]?.elements?.first)
            #expect(item["inserted"]?.int == 0)
            #expect(item["swept"]?.int == 2)
            #expect((0...1).contains(item["updated"]?.int ?? -1))
            if item["updated"]?.int == 1 {
                let change = item["changes"]?.elements?.first
                #expect(change?["after"]?["name"] == .string("renamed"))
                #expect(change?["before"]?["name"] != .string("renamed"))
            }
        }
    }

    @Test func `a dry run that would fail says why, is exit code 1, and counts no failure`()
        async throws
    {
        try await Installation.withSource { installation, source in
            try await installation.command(
                source, "faults", #"{"kind":"status","status":500,"times":0,"skip":1}"#)
            let before = try await installation.fingerprint()
            let ran = try await installation.run(ann)
            #expect(ran.code == 1)
            #expect(ran.output.contains("item: full pass, 1 page: 25 fetched, 25 inserted\n"))
            #expect(
                ran.output.contains(
                    "it would end failed: GET /generic/user-000001/token was answered with 500"))
            #expect(try await installation.fingerprint() == before)
        }
    }
}
