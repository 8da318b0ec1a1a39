import Foundation
import Testing

/// Requests that anybody on the way could read.
@Suite struct SecrecyTests {
    private func store(
        _ source: String, _ installation: Installation
    ) async throws {
        let text = itemsFile(port: 1).replacing(
            #"base: "http://127.0.0.1:1""#, with: source)
        _ = try installation.write("jobs/shop/items.yaml", text, mode: 0o644)
        let migrated = try await installation.run("migrate")
        try #require(migrated.code == 0, "\(migrated.errors)")
    }

    @Test func `a tenant's own address is https, unless the job file says that it may be http`()
        async throws
    {
        try await Installation.with { installation in
            try await store("base: https://demo.example", installation)
            try await installation.ok("tenant add acme --job demo.items")
            try await installation.ok("user add ann --tenant acme --set demo_id=user-000001")
            for address in [
                "http://demo.example", "HTTP://demo.example", "http://localhost.example/",
                "http://127.0.0.1.example", "http://127.0.0.1@demo.example", "http://10.0.0.1:8080",
            ] {
                let ran = try await installation.run("tenant set acme --source demo=\(address)")
                #expect(ran.code != 0 && ran.output == "", "\(address)")
                // What is no base at all is refused before the database is asked.
                #expect(
                    ran.errors.contains("over http can be read by anybody on the way")
                        || ran.errors.contains("expects id=https://host"), "\(ran.errors)")
            }
            for address in [
                "https://other.example", "http://127.0.0.1:8080", "http://[::1]/x",
                "http://localhost",
            ] { try await installation.ok("tenant set acme --source demo=\(address)") }

            try await store("base: https://demo.example, insecure: true", installation)
            try await installation.ok("tenant set acme --source demo=http://demo.example")
            // What the file took back holds for the rows that were written before.
            try await store("base: https://demo.example", installation)
            try await installation.ok("enqueue demo.items --tenant acme --user ann")
            _ = try await installation.run("worker --drain")
            #expect(
                try await installation.value("select error_kind from jobrunner.runs") == "rejected")
            let error = try await installation.value("select error from jobrunner.runs")
            #expect(
                error.hasPrefix(
                    "the tenant's address of source demo is http, which anybody on the way can read"
                ),
                "\(error)")
        }
    }
}
