import FakeSource
import Foundation
import HTTP
import JSON
import Postgres
import Testing

/// The words of the guarantees that hold for a token pass of the items.
private let allHold = [
    "holds: the counters add up to the records that came",
    "holds: a second run on unchanged data writes no row version",
    "holds: a run that was cut off goes on with the same rows, and reads one page twice at most",
    "holds: watermark and sync token stay while a pass is unfinished",
    "holds: the order of a page's records does not matter",
    "holds: an empty page does not end a pass",
    "holds: a repeated position is an error, and what came before stays",
]

private let items = "test demo.items --set demo_id=user-000001"

extension Installation {
    /// Whatever a test ended with, the database that was lent to it is empty.
    fileprivate func expectEmptyScratch() async throws {
        let configuration = try DatabaseConfiguration(
            conninfo: url + "_scratch", applicationName: "test", lanes: 1)
        let left = try await Database.withSessions(configuration) { database in
            try await database.run { session in
                try session.query(
                    Statement(
                        "select count(*) from pg_namespace where nspname in ('jobrunner', 'synced')"
                    )
                ).only().int(0)
            }
        }
        #expect(left == 0)
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
    func `who may make no database is told which one to have made, and two tests don't share it`()
        async throws
    {
        try await Installation.with { installation in
            _ = try installation.write("jobs/shop/items.yaml", itemsFile(port: 1), mode: 0o644)
            let name = String(installation.url.split(separator: "/").last ?? "") + "_scratch"
            let refused = try await installation.run(items)
            #expect(refused.code == 78)
            #expect(
                refused.errors
                    == "jobrunner test: a test needs an empty database, which role jobrunner may not make; have an"
                    + " administrator run: create database \(name) owner jobrunner\n")
            try await TestDatabase.makeScratch(beside: installation.url)
            let other = try DatabaseConfiguration(
                conninfo: installation.url + "_scratch", applicationName: "test", lanes: 1)
            try await Database.withSessions(other) { database in
                try await database.run { session in
                    try session.script(
                        "select pg_advisory_lock(hashtextextended('jobrunner test', 0)); create schema synced"
                    )
                }
                let busy = try await installation.run(items)
                #expect(busy.code == 75)
                #expect(busy.errors.contains("another test is at work in database \(name)"))
            }
        }
    }

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
            try await installation.expectEmptyScratch()
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
            #expect(kept.count == 23)
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                let facts = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
                #expect(facts[.posixPermissions] as? Int == 0o600, "\(name)")
            }
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
            try await installation.expectEmptyScratch()
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
            let folder = installation.folder.path + "/kept"
            let line =
                "test popcorn.refresh --set user_id=user-000001 --secret ck_api_token=@@api"
                + " --secret ck_web_auth_token=@@web --base http://127.0.0.1:\(source.port)"
            let ran = try await installation.run(line + " --record \(folder)")
            #expect(
                ran.output.split(separator: "\n").map(String.init) == allHold, "\(ran.errors)")
            #expect(ran.code == 0)
            let kept = try installation.texts(in: "kept").joined()
            #expect(kept.contains("CD_MoviesWatchlistMovieEntity"))
            for word in ["token-user-000001", "api-token", "ckWebAuthToken", "ckSession"] {
                #expect(!kept.contains(word), "\(word)")
            }
            source.stop()
            let again = try await installation.run(line + " --replay \(folder)")
            #expect(again.output == ran.output)
            let notPushed = "note: only what the job pulls is tested; nothing is pushed"
            #expect(again.errorLines == [notPushed])
            #expect(ran.errorLines.count == 2 && ran.errorLines.first == notPushed, "\(ran.errors)")
        }
    }

    @Test func `MS31 MeTube's tokens hold every guarantee, and no recording has a token`()
        async throws
    {
        let file = packageFolder.appendingPathComponent("jobs/metube/tokens.yaml")
        let text = try String(contentsOf: file, encoding: .utf8)
            .replacingOccurrences(of: "size: 100", with: "size: 2")
        try await Installation.withSource { installation, source in
            try await installation.command(
                source, "cloudkit/fixture", #"{"name": "metube", "users": 1, "records": 0}"#)
            let records = (1...7).map {
                #"{"recordName": "d\#($0)", "recordType": "YouTubeToken", "fields": {"refreshToken": {"value": "canary-\#($0)"}, "device": {"value": "phone"}}}"#
            }
            try await installation.command(
                source, "cloudkit/edit",
                #"{"container": "iCloud.com.metube.app", "user": "user-000001", "zone": "TokenZone", "records": [\#(records.joined(separator: ", "))]}"#
            )
            _ = try installation.write("jobs/shop/tokens.yaml", text, mode: 0o644)
            _ = try installation.write("api", "api-token\n")
            _ = try installation.write("web", "token-user-000001\n")
            let folder = installation.folder.path + "/kept"
            let line =
                "test metube.tokens --secret ck_api_token=@@api"
                + " --secret ck_web_auth_token=@@web --base http://127.0.0.1:\(source.port)"
            let ran = try await installation.run(line + " --record \(folder)")
            #expect(
                ran.output.split(separator: "\n").map(String.init) == allHold,
                "\(ran.output) \(ran.errors)")
            let kept = try installation.texts(in: "kept").joined()
            #expect(kept.contains("YouTubeToken") && !kept.contains("canary"))
            #expect(!(ran.output + ran.errors).contains("canary"))
            source.stop()
            let again = try await installation.run(line + " --replay \(folder)")
            #expect(again.output == ran.output, "\(again.errors)")
        }
    }

    @Test func `MeTube's refresh holds every guarantee, its calls and lists included`() async throws
    {
        let file = packageFolder.appendingPathComponent("jobs/metube/refresh.yaml")
        let text = try String(contentsOf: file, encoding: .utf8)
            .replacingOccurrences(of: "size: 100", with: "size: 9")
        try await Installation.withSource { installation, source in
            _ = try installation.write("jobs/shop/metube.yaml", text, mode: 0o644)
            _ = try installation.write("channels", "channel-1\nchannel-2\n")
            // The source's clock shows another second than the claim's.
            try await installation.command(
                source, "faults",
                #"{"kind": "slow", "delay_ms": 1000, "path": "/health", "times": 0}"#)
            let line =
                "test metube.refresh --set hub_user_id=user-000001 --list channel_ids=@@channels"
                + " --base http://127.0.0.1:\(source.port)"
            let folder = installation.folder.path + "/kept"
            let ran = try await installation.run(line + " --record \(folder)")
            #expect(
                ran.output.split(separator: "\n").map(String.init) == allHold, "\(ran.errors)")
            source.stop()
            let again = try await installation.run(line + " --replay \(folder)")
            #expect(again.output == ran.output)
            #expect(again.errors == "")
        }
    }

    @Test func `where a record comes twice and the last one counts, order is not judged`()
        async throws
    {
        try await Installation.withSource { installation, source in
            // Every seventeenth item has the time of the one before.
            let text = itemsFile(port: source.port)
                .replacingOccurrences(of: "key: [item_id]", with: "key: [updated_at]")
                .replacingOccurrences(
                    of: "mode: newest_wins", with: "mode: overwrite")
            _ = try installation.write("jobs/shop/items.yaml", text, mode: 0o644)
            let judged = try await installation.json(items)
            let order = judged.elements?.first {
                $0["guarantee"] == .string("order_independence")
            }
            #expect(order?["verdict"] == .string("cannot_be_judged"))
            #expect(
                order?["why"]
                    == .string(
                        "the source shows a record twice, and with overwrite the first or last one"
                            + " counts"))
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

    @Test(arguments: [
        ("next_url", "next_url, url_at: next"), ("next_header", "next_url, url_header: X-Next"),
        ("link", "link_header"),
    ])
    func `a job that follows whole addresses holds every guarantee`(path: String, style: String)
        async throws
    {
        try await Installation.withSource { installation, source in
            let text = itemsFile(port: source.port, page: "style: \(style), size: 25")
                .replacingOccurrences(of: "/token", with: "/" + path)
                .replacingOccurrences(of: "cursor: \"{page.token}\", ", with: "")
            _ = try installation.write("jobs/shop/items.yaml", text, mode: 0o644)
            let ran = try await installation.run(items)
            #expect(
                ran.output.split(separator: "\n").map(String.init) == allHold, "\(ran.errors)")
        }
    }

    @Test func `a job of the tenant's own is tried without a user, and says so when given one`()
        async throws
    {
        try await Installation.withSource { installation, source in
            let text = itemsFile(port: source.port)
                .replacingOccurrences(of: "version: 1", with: "version: 1\nscope: tenant")
                .replacingOccurrences(of: "{user.demo_id}", with: "user-000001")
            _ = try installation.write("jobs/shop/items.yaml", text, mode: 0o644)
            let ran = try await installation.run("test demo.items")
            #expect(
                ran.output.split(separator: "\n").map(String.init) == allHold, "\(ran.errors)")
            let given = try await installation.run(items)
            #expect(given.code == 65)
            #expect(given.errors.contains("is the tenant's own and has no user"))
        }
    }

    @Test func `a test that is stopped takes its database with it`() async throws {
        try await Installation.withSource { installation, source in
            try await installation.command(source, "faults", #"{"kind":"hang","times":0}"#)
            let running = try installation.start(items)
            let client = HTTPClient(userAgent: "test")
            defer { client.close() }
            try await eventually("the job waits for the source") {
                let faults = try await client.send(
                    HTTPRequest(url: "http://127.0.0.1:\(source.port)/_control/faults"),
                    deadline: .now + .seconds(10))
                return String(decoding: faults.body, as: UTF8.self).contains(/"fired": ?[1-9]/)
            }
            running.process.interrupt()
            let ran = try await running.end()
            #expect(ran.code == 75, "\(ran.errors)")
            try await installation.expectEmptyScratch()
        }
    }
}
