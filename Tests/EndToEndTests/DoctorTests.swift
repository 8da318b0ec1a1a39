import Foundation
import JSON
import Testing

@Suite struct DoctorTests {
    private func findings(_ installation: Installation, _ changes: [String: String] = [:])
        async throws -> (code: Int32, lines: [String])
    {
        let ran = try await installation.run("doctor", changes)
        #expect(ran.errors == "")
        return (ran.code, ran.output.split(separator: "\n").map(String.init))
    }

    @Test func `nothing wrong is nothing but the workers`() async throws {
        try await Installation.with { installation in
            let (code, lines) = try await findings(installation)
            #expect(code == 0)
            #expect(lines == ["warning: workers: none is alive; start one: jobrunner worker"])
            let json = try await installation.json("doctor")
            #expect(json.elements?.first?["severity"]?.string == "warning")
            #expect(json.elements?.first?["hint"]?.string == "start one: jobrunner worker")
        }
    }

    @Test func `health is one line with the worst reasons, and status and doctor tell the same`()
        async throws
    {
        try await Installation.with { installation in
            try await installation.addAnn()
            let none = try await installation.run("health")
            #expect(none.code == 2)
            #expect(none.output == "urgent: workers: none is alive\n")
            try await installation.script(
                """
                select jobrunner.register_worker('here', 7, 'test', 10, '{shop.orders}');
                select jobrunner.count_waiting();
                """)
            let ran = try await installation.run("health")
            #expect(ran.code == 2)
            #expect(
                ran.output.hasPrefix(
                    "urgent: waiting: 1 job waits for a worker that has its job file (acme 1), the first since "
                ))
            let json = try await installation.run("health --json")
            #expect(json.output.hasPrefix(#"{"verdict":"urgent","reasons":["waiting: 1 job waits"#))
            let status = try await installation.json("status")["waiting"]
            #expect(
                status?.elements?.map { "\($0["reason"]?.string ?? "") \($0["jobs"]?.int ?? 0)" }
                    == [
                        "job_file_missing 1", "slots 1", "job_file_missing 1", "slots 1",
                    ])
            #expect(try await installation.ok("status").contains("WAITS FOR"))
            #expect(
                try await findings(installation).lines.contains { line in
                    line.hasPrefix("error: waiting: 1 job waits for a worker that has its job file")
                        && line.hasSuffix("is JOBRUNNER_JOBS of every worker the same?")
                })
            try await installation.given(.notDue())
            try await installation.script(
                "\(Given.neverDone("waiting")) select jobrunner.count_waiting()")
            let well = try await installation.run("health")
            #expect(well.code == 0 && well.output == "healthy: workers: 1 alive\n")
            let away = try await installation.run(
                "health", ["DATABASE_URL": "postgres://localhost:1/none"])
            #expect(away.code == 2)
            #expect(away.output.hasPrefix("urgent: database: the database can't be reached"))
        }
    }

    @Test func `each kind of trouble is a line with a hint, the worst first`() async throws {
        try await Installation.with { installation in
            try await installation.addAnn()
            _ = try installation.write("token", "x")
            try await installation.ok(
                "user set ann --tenant acme --secret token=@@token --origin https://shop.example")
            try await installation.script(
                """
                select jobrunner.register_worker('here', 7, 'test', 10);
                \(Given.silent(for: "5 min"))
                \(Given.due(.named("shop.orders"), for: "3 h"))
                \(Given.parked(.named("shop.status"), because: "it died"))
                \(Given.blocked(because: "HTTP 503"))
                do $$ begin execute 'drop table jobrunner.runs_'
                  || to_char((now() at time zone 'UTC')::date + 1, 'YYYYMMDD'); end $$
                """)
            _ = try installation.write("other", String(repeating: "aa", count: 32))
            let orders = installation.folder.path + "/jobs/shop/orders.yaml"
            let text = try String(contentsOfFile: orders, encoding: .utf8)
            try text.replacingOccurrences(of: "every: 1h", with: "every: 2h")
                .write(toFile: orders, atomically: true, encoding: .utf8)
            try FileManager.default.removeItem(
                atPath: installation.folder.path + "/jobs/shop/status.yaml")
            let (code, lines) = try await findings(
                installation, ["JOBRUNNER_KEY_FILE": installation.folder.path + "/other"])
            #expect(code == 1)
            let expected = [
                "error: history: runs has no partition for tomorrow",
                "error: key file: 1 secret of 1 tenant need key ",
                "error: late: 1 job shop.orders of tenant acme is late by more than a period,"
                    + " the latest by 3 h",
                "error: cause: shop of tenant acme has jobs that are set aside, since their runs killed workers:"
                    + " 1 user, nobody is well, the first since ",
                "warning: job files: shop.orders has another period than is stored",
                "warning: job files: shop.status is stored, but no file defines it",
                "warning: sources: the breaker of source shop of tenant acme is open until ",
                "error: waiting: 1 job waits for a worker (acme 1), the first since 3 h",
                "warning: waiting: 1 job is set aside (acme 1), the first since ",
                "warning: workers: none is alive",
                "warning: workers: worker 1 on here (pid 7) is silent for 5 min",
            ]
            for words in expected {
                #expect(lines.contains { $0.hasPrefix(words) }, "\(words) in \(lines)")
            }
            let ranks = lines.map { $0.hasPrefix("error") ? 0 : $0.hasPrefix("warning") ? 1 : 2 }
            #expect(ranks == ranks.sorted())
            #expect(lines.count == expected.count, "\(lines)")
        }
    }

    @Test func `a pass that does not end is told of by doctor and counted by status`() async throws
    {
        try await Installation.with { installation in
            try await installation.addAnn()
            let orders = Whose.named("shop.orders")
            try await installation.given(
                .checkpoint("order", whose: orders), .passing("order", for: "2 days", pages: 1000),
                .runs(1...100, "partial", ago: "25 hours", counted: "pages => 10", whose: orders))
            let (code, lines) = try await findings(installation)
            #expect(code == 1)
            #expect(
                lines.prefix(2) == [
                    "error: passes: 1 job read on for more than a day and a hundred runs, and no pass ends;"
                        + " does the source always name a next page?",
                    "error: passes: shop.orders of user ann of tenant acme, entity order: 1000 pages of a"
                        + " full pass of which no end was seen in a day and a hundred runs",
                ], "\(lines)")
            let status = try await installation.json("status --tenant acme")
            #expect("\(status.text)".contains(#""trouble_count":1"#), "\(status.text)")
        }
    }

    @Test func `who keeps doctor itself waiting is a finding, and other commands lead there`()
        async throws
    {
        try await Installation.with { installation in
            try await installation.addAnn()
            let person = try await OpenTransaction(
                installation.url, "lock table jobrunner.jobs in access exclusive mode")
            let impatient = [
                "DATABASE_URL": TestCluster.operatorLogin(of: installation.url)
                    + "?options=-clock_timeout%3D600ms"
            ]
            let (code, lines) = try await findings(installation, impatient)
            #expect(code == 1)
            #expect(lines.contains { $0.hasPrefix("error: database: the database is busy: ") })
            let holder = lines.first { $0.hasPrefix("error: locks: session ") }
            #expect(
                holder?.contains(
                    "(jobrunner-test, login jobrunner) locks others out of jobrunner.jobs") == true,
                "\(lines)")
            let explain = try await installation.run(
                "explain shop.orders --tenant acme --user ann", impatient)
            #expect(explain.code == 75)
            #expect(explain.errors.hasSuffix("jobrunner doctor names who holds the lock\n"))
            try await person.rollBack()
        }
    }

    @Test func `what keeps doctor from asking is itself a finding`() async throws {
        try await Installation.with(migrated: false) { installation in
            let older = try await findings(installation)
            #expect(older.code == 1)
            #expect(older.lines.count == 1)
            #expect(older.lines[0].hasPrefix("error: schema: "))
            let away = try await findings(
                installation,
                [
                    "DATABASE_URL": "postgres://jr:sesame@127.0.0.1:1/x",
                    "JOBRUNNER_KEY_FILE": "/nowhere", "JOBRUNNER_JOBS": "/nowhere",
                ])
            #expect(away.code == 1)
            #expect(
                away.lines.map { $0.prefix { $0 != "," }.split(separator: ":")[1] }
                    == [" database", " job files", " key file"])
            #expect(!away.lines.joined().contains("sesame"))
        }
    }
}
