import Foundation
import JSON
import Testing

@Suite struct HappyPathTests {
    @Test func `migrate says what it did, and the second time that there is nothing to do`()
        async throws
    {
        try await Installation.with(migrated: false) { installation in
            let first = try await installation.ok("migrate")
            let lines = first.split(separator: "\n")
            #expect(lines.contains("applied migration 0001_schema"))
            #expect(lines.contains("created table synced.shop_order"))
            #expect(lines.contains("stored job file shop.status"))
            #expect(try await installation.ok("migrate") == "nothing to do\n")
        }
    }

    @Test func `two migrations at once both succeed, and one of them finds nothing to do`()
        async throws
    {
        try await Installation.with(migrated: false) { installation in
            let both = [try installation.start("migrate"), try installation.start("migrate")]
            var outputs: [String] = []
            for running in both {
                let ran = try await running.end()
                #expect(ran.code == 0, "\(ran.errors)")
                outputs.append(ran.output)
            }
            #expect(outputs.count { $0.hasSuffix("nothing to do\n") } == 1)
            #expect(outputs.count { $0.contains("applied migration 0001_schema\n") } == 1)
        }
    }

    @Test func `validate counts good files and asks no database`() async throws {
        try await Installation.with(migrated: false) { installation in
            let nowhere = ["DATABASE_URL": "postgres://127.0.0.1:1/none"]
            let all = try await installation.run("validate", nowhere)
            #expect(all.output == "2 files, no mistakes\n")
            let file = installation.folder.path + "/jobs/shop/orders.yaml"
            #expect(
                try await installation.run("validate \(file)", nowhere).output
                    == "1 file, no mistakes\n")
            #expect(try await installation.json("validate") == .array([]))
        }
    }

    @Test func `a tenant is added, listed, changed, paused, resumed and removed`() async throws {
        try await Installation.with { installation in
            #expect(
                try await installation.ok(
                    "tenant add zeta --job shop.orders --weight 1000 --max-running 5")
                    == "added tenant zeta with shop.orders\n")
            _ = try installation.write("api", "s3cret")
            try await installation.ok(
                "tenant add acme --job shop.orders --source shop=https://acme.example/")
            try await installation.ok(
                "tenant set acme --secret api=@@api --origin https://shop.example --weight 2")
            let rows = try #require(try await installation.json("tenant list").elements)
            #expect(rows.map { $0["tenant"]?.string } == ["acme", "zeta"])
            #expect(rows[0]["sources"] == .array([.string("shop=https://acme.example")]))
            #expect(rows[0]["secrets"] == .array([.string("api")]))
            #expect(rows[0]["weight"]?.int == 2)
            #expect(rows[1]["max_running"]?.int == 5)
            #expect(rows[1]["weight"]?.int == 1000)
            try await installation.ok("tenant set zeta --unlimited")
            try await installation.ok("user add ann --tenant zeta")
            #expect(
                try await installation.ok("tenant set zeta --job shop.status")
                    == "changed tenant zeta; its users got 1 job\n")
            #expect(
                try await installation.ok("pause --tenant zeta --all")
                    == "paused 2 jobs, every job of every user of tenant zeta\n")
            let paused = try #require(try await installation.json("tenant list").elements)
            #expect(paused[1]["paused_at"]?.string != nil)
            #expect(paused[1]["max_running"] == .null)
            #expect(
                try await installation.ok("resume --tenant zeta --all")
                    == "resumed 2 jobs, every job of every user of tenant zeta\n")
            #expect(
                try await installation.ok("tenant remove zeta --yes")
                    == "removed tenant zeta: 1 user, 2 jobs\n")
            #expect(try await installation.ok("tenant list").contains("zeta") == false)
        }
    }

    @Test func `a user is added with attributes, a list and a secret, changed and removed`()
        async throws
    {
        try await Installation.with { installation in
            try await installation.ok("tenant add acme --job shop.orders --job shop.status")
            _ = try installation.write("stores", " 12 \r\n\n34\nfünf\n")
            _ = try installation.write("token", "s3cret\n")
            #expect(
                try await installation.ok(
                    "user add ann --tenant acme --set region=eu --set n=5 --list store_ids=@@stores"
                        + " --secret token=@@token --origin https://shop.example")
                    == "added user ann of tenant acme with shop.orders and shop.status;"
                    + " lists: 3 ids added, 0 ids removed\n")
            #expect(
                try await installation.value(
                    "select string_agg(store_id, ',' order by store_id) from synced.store")
                    == "12,34,fünf")
            _ = try installation.write("stores", "34\n")
            #expect(
                try await installation.ok(
                    "user set ann --tenant acme --list store_ids=@@stores --set region=us")
                    == "changed user ann of tenant acme with shop.orders and shop.status;"
                    + " lists: 0 ids added, 2 ids removed\n")
            let users = try #require(try await installation.json("user list").elements)
            #expect(users.count == 1)
            #expect(users[0]["user"]?.string == "ann")
            #expect(users[0]["attributes"]?["region"] == .string("us"))
            #expect(users[0]["attributes"]?["n"] == .string("5"))
            #expect(users[0]["secrets"] == .array([.string("token")]))
            #expect(
                try await installation.ok("pause --user ann --tenant acme")
                    == "paused 2 jobs, every job of user ann\n")
            #expect(
                try await installation.ok("resume --user ann --tenant acme")
                    == "resumed 2 jobs, every job of user ann\n")
            let exported = try await installation.ok("user export ann --tenant acme").split(
                separator: "\n")
            #expect(exported.first?.hasPrefix(#"{"part":"user","name":"ann","content":{"#) == true)
            #expect(
                exported.contains(#"{"part":"row","name":"store","content":{"store_id": "34"}}"#))
            #expect(
                try await installation.ok("user remove ann --tenant acme --yes")
                    == "removed user ann of tenant acme: 1 secret, 2 jobs, 1 row of synced.store\n")
            #expect(try await installation.value("select count(*) from synced.store") == "0")
        }
    }

    @Test func `a removal prints its receipt as JSON, counted by the deletes`() async throws {
        try await Installation.with { installation in
            try await installation.addAnn()
            let receipt = try await installation.json("user remove ann --tenant acme --yes")
            #expect(receipt["user"]?.string == "ann")
            #expect(receipt["tenant"]?.string == "acme")
            #expect(receipt["jobs"]?.int == 2)
            #expect(receipt["rows"]?["store"]?.int == 0)
            let all = try await installation.json("tenant remove acme --yes")
            #expect(all["users"]?.int == 0)
        }
    }

    @Test func `a login is made an application of a tenant, listed, and taken from it`()
        async throws
    {
        try await Installation.with { installation in
            try await installation.ok("tenant add acme")
            try await installation.ok("tenant add zeta")
            try await Login.with { login in
                let add = "application add \(login) --tenant acme"
                #expect(
                    try await installation.ok(add)
                        == "login \(login) is an application of tenant acme now\n")
                #expect(
                    try await installation.ok(add)
                        == "login \(login) is an application of tenant acme already\n")
                let other = try await installation.run("application add \(login) --tenant zeta")
                #expect(other.code == 65)
                #expect(
                    other.errors.contains("is an application of another tenant. Remove it there"))
                let listed = try #require(try await installation.json("application list").elements)
                #expect(listed.map { $0["login"]?.string } == [login])
                #expect(listed.map { $0["tenant"]?.string } == ["acme"])
                #expect(
                    try await installation.json("application list --tenant zeta").elements == [])
                #expect(
                    try await installation.ok("application remove \(login)")
                        == "login \(login) is no application any more\n")
                #expect(try await installation.json("application list").elements == [])
            }
        }
    }

    @Test func `who did what to whom is listed, the latest first`() async throws {
        try await Installation.with { installation in
            try await installation.addAnn()
            try await installation.ok("pause shop.orders --tenant acme --user ann")
            let acts = try #require(try await installation.json("audit").elements)
            #expect(acts.first?["verb"]?.string == "pause_jobs")
            #expect(acts.first?["object"]?.string == "shop.orders")
            #expect(acts.first?["user"]?.string == "ann")
            #expect(acts.first?["login"]?.string == "jobrunner_operate")
            for step in ["apply_migration", "apply_code", "store_job_file", "revoke_public"] {
                #expect(acts.contains { $0["verb"]?.string == step }, "\(step)")
            }
            let ours = try await installation.json("audit --tenant acme --user ann --since 1h")
            #expect(
                ours.elements?.map { $0["verb"]?.string } == ["pause_jobs", "add_user"])
            let lines = try await installation.ok(
                "audit --login jobrunner_operate --verb add_tenant --limit 1"
            ).split(separator: "\n")
            #expect(lines.count == 2)
            #expect(lines.last?.contains("add_tenant") == true)
            #expect(try await installation.json("audit --login nobody").elements == [])
        }
    }

    @Test func `users are listed by key, up to a limit that says so`() async throws {
        try await Installation.with { installation in
            try await installation.ok("tenant add acme")
            for user in ["cid", "ann", "bob"] {
                try await installation.ok("user add \(user) --tenant acme")
            }
            let ran = try await installation.run("user list --tenant acme --limit 2")
            #expect(ran.code == 0)
            #expect(ran.output.contains("ann") && ran.output.contains("bob"))
            #expect(!ran.output.contains("cid"))
            #expect(ran.errors == "note: there are more; --limit 2 is reached\n")
        }
    }

    @Test func `a job file is explained with its defaults, and a job in a sentence`() async throws {
        try await Installation.with { installation in
            try await installation.addAnn()
            // The seconds in between are the machine's.
            let sentence = try await installation.ok("explain shop.orders --tenant acme --user ann")
            #expect(sentence.hasPrefix("It has been due for "))
            #expect(sentence.hasSuffix(" s and does not run because no worker is alive.\n"))
            let file = installation.folder.path + "/jobs/shop/orders.yaml"
            let expanded = try await installation.ok("explain \(file)")
            let root = try JSONDocument(parsing: Array(expanded.utf8)).root
            #expect(root["job"]?.string == "shop.orders")
            #expect(root["source"]?["timeout"] != nil)
        }
    }

    @Test func `status tells a tenant's jobs, and a user's jobs and entities`() async throws {
        try await Installation.with { installation in
            try await installation.addAnn()
            let rows = try #require(try await installation.json("status")["jobs"]?.elements)
            #expect(rows.map { $0["job"]?.string } == ["shop.orders", "shop.status"])
            #expect(rows.map { $0["due_count"]?.int } == [1, 1])
            let one = try await installation.json("status --tenant acme --job shop.status")
            #expect(one["jobs"]?.elements?.count == 1)
            try await installation.ok("enqueue shop.orders --tenant acme --user ann --full")
            let user = try await installation.json("status --tenant acme --user ann")
            #expect(user["jobs"]?.elements?.count == 2)
            #expect(
                user["entities"]?.elements?.map { $0["entity"]?.string } == ["order", "refund"])
            let text = try await installation.ok("status --tenant acme --user ann")
            #expect(text.contains("JOB          STATE"))
            #expect(text.contains("shop.orders  order"))
        }
    }

    @Test func `jobs are paused, resumed, reset, retried and cancelled, with counts in words`()
        async throws
    {
        try await Installation.with { installation in
            try await installation.addAnn()
            let ann = "shop.orders --tenant acme --user ann"
            #expect(
                try await installation.ok("pause \(ann)")
                    == "paused 1 job, shop.orders of user ann\n")
            #expect(
                try await installation.ok("enqueue \(ann)")
                    == "paused: shop.orders of user ann; it runs when it is resumed\n")
            #expect(
                try await installation.ok("resume shop.orders --tenant acme --all")
                    == "resumed 1 job, shop.orders of every user of tenant acme\n")
            #expect(
                try await installation.ok("cancel \(ann)")
                    == "no run of shop.orders of user ann is under way\n")
            #expect(
                try await installation.ok("reset \(ann)")
                    == "nothing to clear: shop.orders of user ann has no checkpoint\n")
            try await installation.ok("enqueue \(ann) --full")
            #expect(
                try await installation.ok("reset \(ann) --entity refund")
                    == "cleared the checkpoints of shop.orders of user ann: refund; synced rows"
                    + " stay, and the next run reads everything\n")
            #expect(
                try await installation.ok("reset shop.orders --tenant acme --all")
                    == "cleared the checkpoints of shop.orders of every user of tenant acme:"
                    + " order (1 user), refund (1 user); synced rows stay, and the next run reads"
                    + " everything\n")
            try await installation.given(.failing(times: 2), .notDue())
            #expect(
                try await installation.ok("retry \(ann)")
                    == "due now: 1 job, shop.orders of user ann\n")
            #expect(
                try await installation.ok("enqueue shop.orders --tenant acme --all")
                    == "shop.orders of 1 user of tenant acme: 1 due\n")
        }
    }

    @Test func `help and version need neither settings nor a database`() async throws {
        let help = try await RunningProgram(["help", "enqueue"], environment: [:]).end()
        #expect(help.code == 0)
        #expect(help.output.contains("usage: jobrunner enqueue"))
        let version = try await RunningProgram(["--version"], environment: [:]).end()
        #expect(version.output.hasPrefix("jobrunner "))
    }
}

/// What is set, as a person asks for it.
@Suite struct SettingsCommandTests {
    @Test func `settings prints what is in force and where it was found, and no secret`()
        async throws
    {
        try await Installation.with { installation in
            let rows = try await installation.json("settings").elements ?? []
            let found = rows.map { row in
                "\(row["name"]?.string ?? "") \(row["value"]?.string ?? "-") \(row["from"]?.string ?? "")"
            }
            #expect(found.first == "DATABASE_URL (set, left out) environment")
            #expect(found.contains("JOBRUNNER_LOG_LEVEL info default"))
            #expect(found.contains("JOBRUNNER_JOBS \(installation.folder.path)/jobs environment"))
            let path = try installation.write("url", installation.url + "\n")
            let health = try await installation.run(
                "health", ["DATABASE_URL": "", "DATABASE_URL_FILE": path])
            #expect(health.output == "urgent: workers: none is alive\n")
            let settings = try await installation.run(
                "settings", ["DATABASE_URL": "", "DATABASE_URL_FILE": path])
            #expect(settings.output.contains("file \(path)"))
            #expect(!settings.output.contains("postgres"))
        }
    }
}
