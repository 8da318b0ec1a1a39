import FakeSource
import Foundation
import JSON
import Testing

/// The words of the guarantees that hold for a token pass of the items.
private let allHold = [
    "holds: the counters add up to the records that came",
    "holds: a second run on unchanged data writes no row version",
    "holds: a run that was cut off goes on with the same rows and few pages twice",
    "holds: watermark and sync token stay while a pass is unfinished",
    "holds: the order of a page's records does not matter",
    "holds: an empty page does not end a pass",
    "holds: a repeated position is an error, and what came before stays",
]

private let items = "test demo.items --set demo_id=user-000001"

extension Installation {
    /// Databases of `jobrunner test` that are still there; other tests may have theirs.
    fileprivate func scratchCount() async throws -> Int {
        Int(
            try await value(
                "select count(*) from pg_database where datname like 'jobrunner_test_%'"))
            ?? -1
    }

    /// All that stands in the files of a folder.
    fileprivate func texts(in name: String) throws -> [String] {
        let folder = folder.appendingPathComponent(name)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
            try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8)
        }
    }
}

@Suite(.serialized) struct ConformanceTests {
    @Test
    func `a job that pages by tokens holds every guarantee, and its own database is untouched`()
        async throws
    {
        try await Installation.withSource { installation, _ in
            let before = try await installation.fingerprint()
            let ran = try await installation.run(items)
            #expect(ran.errors == "")
            #expect(ran.output.split(separator: "\n").map(String.init) == allHold)
            #expect(ran.code == 0)
            #expect(try await installation.fingerprint() == before)
            #expect(try await installation.scratchCount() == 0)
        }
    }

    @Test func `what was recorded gives the same verdicts without the source, and holds no secret`()
        async throws
    {
        try await Installation.withSource { installation, source in
            let secret = "s3cr3t-of-ann-7714"
            let text = itemsFile(port: source.port).replacingOccurrences(
                of: "retry: { attempts: 1 } }",
                with: "retry: { attempts: 1 }, auth: { type: query, name: sign, value:"
                    + " \"{secret.token}\" } }")
            _ = try installation.write("jobs/shop/items.yaml", text, mode: 0o644)
            _ = try installation.write("token", secret + "\n")
            // As if the source repeated a secret in its addresses and records.
            _ = try installation.write("echoed", "user-000001\n")
            let line = items + " --secret token=@@token --secret echoed=@@echoed"
            let folder = installation.folder.path + "/kept"
            let first = try await installation.run(line + " --record \(folder)")
            #expect(first.errors == "")
            #expect(first.output.split(separator: "\n").map(String.init) == allHold)
            let kept = try installation.texts(in: "kept")
            #expect(kept.count == 20)
            #expect(
                !kept.contains {
                    $0.contains(secret) || $0.contains("sign=") || $0.contains("user-000001")
                })

            source.stop()
            let again = try await installation.run(line + " --replay \(folder)")
            #expect(again.errors == "")
            #expect(again.output == first.output)
            #expect(again.code == 0)
            let other = try await installation.run(
                "test demo.items --set demo_id=user-000002 --secret token=@@token --replay \(folder)"
            )
            #expect(other.code == 65)
            #expect(other.errors.contains("has no answer to GET /generic/user-000002/token?"))
            let away = try await installation.run(line)
            #expect(away.code == 69, "\(away.errors)")
            #expect(try await installation.scratchCount() == 0)
        }
    }

    @Test
    func `a source that edits or loses a record behind the first run does not pass the second`()
        async throws
    {
        try await Installation.withSource { installation, source in
            try await installation.command(
                source, "change",
                #"{"op":"edit","user":"user-000001","count":1,"name":"renamed","after_pages":3}"#)
            let edited = try await installation.run(items)
            #expect(edited.code == 1, "\(edited.errors)")
            #expect(
                edited.output.contains(
                    "does not hold: \(allHold[1].dropFirst(7)): after the second run 1 rows are"),
                "\(edited.output)")
        }
        try await Installation.withSource { installation, source in
            try await installation.command(
                source, "change",
                #"{"op":"remove","user":"user-000001","count":1,"after_pages":3}"#)
            let judged = try await installation.json(items)
            let second = judged.elements?.dropFirst().first
            #expect(second?["guarantee"] == .string("unchanged_writes_nothing"))
            #expect(second?["verdict"] == .string("does_not_hold"))
            #expect(second?["why"]?.string?.contains("1 of its rows are gone") == true)
        }
    }

    @Test func `a change feed of CloudKit's holds every guarantee, with tokens that rotate`()
        async throws
    {
        let file = packageFolder.appendingPathComponent("jobs/popcorn/refresh.yaml")
        let text = try String(contentsOf: file, encoding: .utf8)
            .replacingOccurrences(of: "size: 200", with: "size: 10")
        try await Installation.withSource { installation, source in
            try await installation.command(
                source, "cloudkit/fixture", #"{"name": "popcorn", "users": 1}"#)
            _ = try installation.write("jobs/shop/popcorn.yaml", text, mode: 0o644)
            _ = try installation.write("api", "api-token\n")
            _ = try installation.write("web", "token-user-000001\n")
            let base = "http://127.0.0.1:\(source.port)"
            let ran = try await installation.run(
                "test popcorn.refresh --set user_id=user-000001 --base \(base)"
                    + " --secret ck_api_token=@@api --secret ck_web_auth_token=@@web")
            #expect(
                ran.output.split(separator: "\n").map(String.init) == allHold, "\(ran.errors)")
            #expect(ran.code == 0)
            #expect(ran.errorLines.count == 1, "\(ran.errors)")
        }
    }

    @Test func `a source that ends its pages by number can't be judged by a made-up page`()
        async throws
    {
        try await Installation.withSource { installation, source in
            var text = itemsFile(
                port: source.port, page: "style: offset, start: 0, size: 25")
            text = text.replacingOccurrences(of: "/token", with: "/offset")
            text = text.replacingOccurrences(
                of: "cursor: \"{page.token}\"", with: "offset: \"{page.token}\"")
            _ = try installation.write("jobs/shop/items.yaml", text, mode: 0o644)
            let ran = try await installation.run(items)
            let lines = ran.output.split(separator: "\n").map(String.init)
            #expect(Array(lines.prefix(5)) == Array(allHold.prefix(5)), "\(ran.errors)")
            #expect(
                lines.last == "can't be judged: \(allHold[6].dropFirst(7)): no page can be put into"
                    + " a pass of style offset")
            #expect(ran.code == 0)
        }
    }

    @Test func `a job that follows whole addresses holds every guarantee`() async throws {
        try await Installation.withSource { installation, source in
            let text = itemsFile(port: source.port, page: "style: next_url, url_at: next, size: 25")
                .replacingOccurrences(of: "/token", with: "/next_url")
                .replacingOccurrences(of: "cursor: \"{page.token}\", ", with: "")
            _ = try installation.write("jobs/shop/items.yaml", text, mode: 0o644)
            let ran = try await installation.run(items)
            #expect(
                ran.output.split(separator: "\n").map(String.init) == allHold, "\(ran.errors)")
        }
    }

    @Test func `a test that is stopped takes its database with it`() async throws {
        try await Installation.withSource { installation, source in
            try await installation.command(source, "faults", #"{"kind":"hang","times":0}"#)
            let running = try installation.start(items)
            try await eventually("the scratch database is there, and its job runs") {
                try await installation.value(
                    "select count(*) from pg_stat_activity where datname like 'jobrunner_test_%'"
                ) != "0"
            }
            running.process.interrupt()
            let ran = try await running.end()
            #expect(ran.code == 75, "\(ran.errors)")
            #expect(try await installation.scratchCount() == 0)
        }
    }
}
