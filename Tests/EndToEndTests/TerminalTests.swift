import Foundation
import JSON
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
}
