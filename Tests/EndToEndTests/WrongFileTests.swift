import Foundation
import Testing

/// One wrong job file among right ones.
@Suite struct WrongFileTests {
    private func spoil(_ installation: Installation) throws {
        let path = installation.folder.path + "/jobs/shop/status.yaml"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try text.replacingOccurrences(of: "style: single", with: "style: singel")
            .write(toFile: path, atomically: true, encoding: .utf8)
    }

    @Test func `OW19 migrate says what is wrong with one file and goes on with the rest`()
        async throws
    {
        try await Installation.with(migrated: false) { installation in
            try spoil(installation)
            let ran = try await installation.run("migrate")
            #expect(ran.code == 65)
            #expect(ran.errors.contains("did you mean \"single\"?"))
            #expect(ran.output.contains("stored job file shop.orders"))
            #expect(!ran.output.contains("shop.status"))
            let again = try await installation.run("migrate")
            #expect(again.code == 65)
            #expect(
                again.output
                    == "nothing else to do; the files that were refused stay as they were stored\n")
        }
    }

    @Test func `a worker says what is wrong with one file and runs the others' jobs`() async throws
    {
        try await Installation.with { installation in
            try await installation.addAnn()
            try spoil(installation)
            try await installation.given(.notDue(.named("shop.orders")))
            let ran = try await installation.run("worker --drain")
            #expect(ran.code == 0)
            let lines = ran.errors.split(separator: "\n").filter { $0.contains("job file refused") }
            #expect(lines.count == 1)
            #expect(lines.first?.contains("singel") == true)
            let doctor = try await installation.run("doctor")
            #expect(doctor.code == 1)
            #expect(doctor.output.contains("error: job files: "))
        }
    }

    @Test
    func `a worker refuses a file whose column has another type by name, and no run meets it`()
        async throws
    {
        try await Installation.with { installation in
            try await installation.addAnn()
            try await installation.script(
                """
                \(Given.notDue(.named("shop.orders")))
                alter table synced.shop_state add column size text;
                """)
            let path = installation.folder.path + "/jobs/shop/status.yaml"
            let id = "        id: { at: id, type: text, required: true }\n"
            let text = try String(contentsOfFile: path, encoding: .utf8)
            try
                (text.trimmingCharacters(in: .newlines).replacingOccurrences(
                    of: id.trimmingCharacters(in: .newlines),
                    with: id + "        size: { at: size, type: int }") + "\n")
                .write(toFile: path, atomically: true, encoding: .utf8)
            let ran = try await installation.run("worker --drain")
            let refused = ran.errorLines.filter { $0.contains("job file refused") }
            #expect(refused.count == 1, "\(ran.errors)")
            #expect(
                refused.first?.contains(
                    "synced.shop_state.size: the job files want bigint, the table has text") == true
            )
            #expect(
                try await installation.value(
                    "select count(*) from jobrunner.runs where job_name = 'shop.status'") == "0")
            let migrated = try await installation.run("migrate")
            #expect(migrated.code == 65)
            #expect(migrated.errors.contains("give a field of another type another name"))
        }
    }

    @Test func `a file that its table can't follow is left out, and the rest is migrated`()
        async throws
    {
        try await Installation.with { installation in
            let folder = installation.folder.path + "/jobs/shop/"
            for (name, old, new) in [
                (
                    "status", "id: { at: id, type: text, required: true }",
                    "id: { at: id, type: int, required: true }"
                ),
                ("orders", "every: 1h", "every: 2h"),
            ] {
                let text = try String(contentsOfFile: folder + name + ".yaml", encoding: .utf8)
                try text.replacingOccurrences(of: old, with: new)
                    .write(toFile: folder + name + ".yaml", atomically: true, encoding: .utf8)
            }
            let ran = try await installation.run("migrate")
            #expect(ran.code == 65)
            #expect(ran.errors.contains("synced.shop_state"))
            #expect(ran.output.contains("stored job file shop.orders"))
        }
    }

    @Test(arguments: [
        ("drop table synced.store cascade", "42P01"),
        ("lock table synced.store in access exclusive mode", "55P03"),
    ])
    func `a table that can't be read fails the jobs of its file, and no other job of their batch`(
        spoiling: String, state: String
    ) async throws {
        try await Installation.withSource { installation, _ in
            try await installation.ok("tenant set acme --job shop.orders")
            let operation = try await OpenTransaction(installation.url, spoiling)
            if state == "42P01" { try await operation.commit() }
            let worker = try await installation.run("worker --drain")
            #expect(worker.code == 0)
            #expect(
                try await installation.value("select count(*) from synced.demo_item") == "60")
            #expect(
                try await installation.value(
                    "select last_outcome || ' ' || last_error_kind from jobrunner.jobs where name = 'shop.orders'"
                ) == "failed database")
            #expect(
                try await installation.value(
                    "select last_error from jobrunner.jobs where name = 'shop.orders'"
                ).contains(state))
            if state != "42P01" { try await operation.rollBack() }
        }
    }

    @Test func `a job is taken from a tenant with its users' jobs`() async throws {
        try await Installation.with { installation in
            try await installation.addAnn()
            let output = try await installation.ok("tenant set acme --take-job shop.status")
            #expect(output == "changed tenant acme; took shop.status, 1 job of its users\n")
            let none = try await installation.run("tenant set acme --take-job shop.status")
            #expect(none.code == 65)
            #expect(none.errors.contains("has no job 'shop.status'. It has shop.orders."))
            #expect(try await installation.run("tenant set acme --with-rows").code == 64)
        }
    }
}
