import Foundation
import JSON
import JobQueue
import Testing

/// The program as a person sees it, on a terminal.
@Suite struct TerminalTests {
    @Test func `a tenant is removed on a terminal when its name is typed again, and only then`()
        async throws
    {
        try await Installation.with { installation in
            try await installation.addAnn()
            let refused = try Pseudoterminal(columns: 200)
            let first = try installation.start("tenant remove acme", terminal: refused)
            try await refused.shows("Type acme to go on: ")
            refused.type("no\n")
            #expect(try await first.end().code == 64)
            #expect(refused.shown().contains("nothing was changed: the answer was \"no\""))
            #expect(try await installation.value("select count(*) from jobrunner.tenants") == "1")
            let agreed = try Pseudoterminal(columns: 200)
            let second = try installation.start("tenant remove acme", terminal: agreed)
            try await agreed.shows("Type acme to go on: ")
            agreed.type("acme\n")
            #expect(try await second.end().code == 0)
            #expect(agreed.shown().contains("removed tenant acme: 1 user, 2 jobs"))
            #expect(try await installation.value("select count(*) from jobrunner.tenants") == "0")
        }
    }

    @Test func `a table is cut to the window, and whole in a pipe`() async throws {
        try await Installation.with { installation in
            try await installation.addAnn()
            let sentence = "and does not run because no worker is alive."
            let line = "status --tenant acme --user ann --job shop.status"
            #expect(try await installation.ok(line).contains(sentence))
            let window = try Pseudoterminal(columns: 140)
            let ran = try installation.start(line, ["TERM": "xterm"], terminal: window)
            #expect(try await ran.end().code == 0)
            let shown = window.shown()
            #expect(shown.contains("…") && !shown.contains(sentence), "\(shown)")
            #expect(shown.contains("shop.status") && shown.contains("DUE (UTC)"))
            let jobs = shown.split(separator: "\r\n").prefix(2)
            #expect(jobs.allSatisfy { $0.count <= 140 }, "\(shown)")
        }
    }

    @Test func `health has its colour on a terminal alone, and none with NO_COLOR`() async throws {
        try await Installation.with { installation in
            for (changes, isColoured) in [
                (["TERM": "xterm"], true), (["TERM": "xterm", "NO_COLOR": "1"], false),
            ] {
                let window = try Pseudoterminal()
                let ran = try installation.start("health", changes, terminal: window)
                #expect(try await ran.end().code == 2)
                #expect(
                    window.shown().hasPrefix(
                        isColoured ? "\u{1b}[31murgent\u{1b}[0m: " : "urgent: "))
            }
            #expect(
                try await installation.run("health", ["TERM": "xterm"]).output.hasPrefix("urgent: ")
            )
        }
    }

    @Test func `what takes long says so on the terminal, and the line is gone at the end`()
        async throws
    {
        try await Installation.with { installation in
            try await installation.addAnn()
            let other = try await OpenTransaction(
                installation.url, "select 1 from jobrunner.tenants for update")
            let window = try Pseudoterminal()
            let ran = try installation.start("tenant remove acme --yes", terminal: window)
            try await window.shows("removing tenant acme, ")
            try await other.rollBack()
            #expect(try await ran.end().code == 0)
            #expect(window.shown().contains("\r\u{1b}[Kremoved tenant acme"), "\(window.shown())")
        }
    }

    @Test func `runs are told as they end, until a signal comes`() async throws {
        try await Installation.with { installation in
            try await installation.addAnn()
            try await installation.given(.runs(1...1, whose: .named("shop.status")))
            let window = try Pseudoterminal(columns: 200)
            let ran = try installation.start("runs shop.status --follow", terminal: window)
            try await window.shows("waiting for runs that end")
            try await installation.given(
                .runs(2...2, "failed", error: "rejected", whose: .named("shop.status")),
                .runs(3...3, whose: .named("shop.orders")),
                .runs(
                    4...4, counted: "pages => 1, fetched => 5, inserted => 5",
                    whose: .named("shop.status")))
            try await window.shows("run 4: ")
            // Whoever runs the tests in the background may have them ignore what Ctrl-C sends.
            ran.process.terminate()
            _ = try await ran.end()
            let shown = window.shown()
            #expect(
                shown.contains(
                    " UTC run 2: shop.status of user ann of tenant acme ended failed after 0.0 s: nothing new\r\n"
                ))
            #expect(shown.contains("ended complete after 0.0 s: 1 page, 5 fetched, 5 inserted\r\n"))
            #expect(!shown.contains("run 1: ") && !shown.contains("run 3: "))
        }
    }

    @Test func `one run is told by its number, with what each entity counted`() async throws {
        try await Installation.with { installation in
            try await installation.addAnn()
            try await installation.given(
                .runs(
                    8001...8001, "failed", counted: "pages => 3, fetched => 60, inserted => 60",
                    error: "rejected",
                    entities:
                        #"{"order": {"pages": 2, "fetched": 60, "inserted": 60}, "refund": {"pages": 1}}"#,
                    whose: .named("shop.orders")))
            let text = try await installation.ok("runs 8001")
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(
                String.init)
            #expect(
                lines[0].hasSuffix(
                    " UTC run 8001: shop.orders of user ann of tenant acme ended failed after 0.0 s: 3 pages, 60 fetched, 60 inserted"
                ))
            #expect(lines[1].hasPrefix("due at 2") && lines[1].hasSuffix("; 0 requests"))
            #expect(lines[2] == "error: rejected: ")
            #expect(
                lines[4...] == [
                    "ENTITY  PAGES  FETCHED  INSERTED", "order       2       60        60",
                    "refund      1        –         –",
                    "all         3       60        60", "",
                ])
            let run = try await installation.json("runs 8001")
            #expect(run["run"]?.int == 8001 && run["counters"]?["fetched"]?.int == 60)
            #expect(run["entities"]?["refund"]?["pages"]?.int == 1)
        }
    }

    @Test func `what the last worker counted is told as of then once it has ended`() async throws {
        try await Installation.with { installation in
            try await installation.addAnn()
            let queue = Queue(installation.pool)
            let worker = try await queue.registerWorker(
                host: "here", pid: 1, version: "test", capacity: 1)
            try await queue.countWaiting(anew: true)
            let alive = try await installation.ok("status")
            #expect(alive.contains("slots") && !alive.contains("not as it is now"))
            _ = try await queue.leave(worker: worker, deadline: .now + hangLimit)
            let health = try await installation.run("health").output
            #expect(
                health.contains("workers: none is alive; waiting: what waits was last counted "),
                "\(health)")
            #expect(health.contains(" s ago: 2 jobs wait for a slot"), "\(health)")
            #expect(
                try await installation.ok("status").contains(
                    " ago, and not as it is now: waiting\n"))
            // Doctor counts anew, and knows that nobody is there.
            #expect(
                try await installation.run("doctor").output.contains("2 jobs wait for a worker"))
            let after = try await installation.run("health").output
            #expect(after.contains("waiting: 2 jobs wait for a worker"), "\(after)")
        }
    }
}
