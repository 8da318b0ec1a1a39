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
}
