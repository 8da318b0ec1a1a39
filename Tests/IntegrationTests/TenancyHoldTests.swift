import JobFiles
import Postgres
import Schema
import Testing

/// What one tenant's application keeps open holds nobody else up.
@Suite struct TenancyHoldTests {
    @Test func `an application whose transactions stay open holds up its own tenant alone`()
        async throws
    {
        try await withWorld(videos: 3) { world in
            let login = "jr_hold_\(String(UInt64.random(in: 0 ... .max), radix: 36))"
            let other = login + "_b"
            for name in [login, other] {
                try await world.database.administer(
                    "create role \(name) login in role \(TestCluster.roles)_application")
            }
            try await world.addTenant("beta")
            try await world.addUser("bob", videos: 3, tenant: "beta")
            try await world.sql("select jobrunner.add_application('beta', $1)", .text(login))
            try await world.sql("select jobrunner.add_application('acme', $1)", .text(other))
            let job = world.file.name
            try await world.given(.notDue())
            let worker = try await world.start()
            let holding = try await OpenTransaction(
                TestCluster.login(login, of: world.database.url),
                """
                select jobrunner.enqueue('beta', 'bob', '\(job)', in_full => true);
                select jobrunner.want_fresh('beta', 'bob', '\(job)', true);
                select jobrunner.set_user('beta', 'bob', '{"a": "b"}');
                select jobrunner.add_user('beta', 'bert');
                select jobrunner.edit_list('beta', 'bob', 'hub_channel', 'channel_id', array['x']);
                select jobrunner.pause_jobs('beta');
                select jobrunner.set_period('beta', 'bob', '\(job)', '2 hours');
                select jobrunner.remove_user('beta', 'bert');
                """)
            // The other tenant's user is read, and its application is answered.
            #expect(try await world.enqueue("ann") == "due")
            try await eventually("the other tenant's user is read") {
                try await world.job("ann").text("last_outcome") == "complete"
            }
            await worker.stop()
            #expect(try await world.value("select count(*) from synced.hub_video") == "3")
            let settings = try DatabaseConfiguration(
                conninfo: TestCluster.login(other, of: world.database.url),
                applicationName: "application", lanes: 1)
            try await Database.withSessions(settings) { application in
                for sql in [
                    "select jobrunner.enqueue('acme', 'ann', '\(job)')",
                    "select jobrunner.add_user('acme', 'amy')",
                    "select jobrunner.pause_jobs('acme')", "select jobrunner.resume_jobs('acme')",
                    "select jobrunner.remove_user('acme', 'amy')",
                    "select kind from jobrunner.events_since('acme')",
                ] { _ = try await application.texts(sql) }
            }
            try await holding.rollBack()
            for name in [login, other] {
                try await world.sql("select jobrunner.remove_application($1)", .text(name))
                try await world.database.administer("drop role \(name)")
            }
        }
    }

    @Test func `locks that any login may take hold no migrate up`() async throws {
        try await withWorld { world in
            try await Login.with(of: world.database.url) { login in
                let locking = try await OpenTransaction(
                    TestCluster.login(login.name, of: world.database.url),
                    "select pg_advisory_lock(1246907733), pg_advisory_xact_lock(1246907734)")
                _ = try await Migrator(database: world.pool).migrate(
                    jobFiles: [world.file], rolePrefix: TestCluster.roles)
                try await locking.rollBack()
            }
        }
    }
}
