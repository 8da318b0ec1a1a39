import JSON
import Postgres
import Runner
import Testing

@Suite struct IsolationTests {
    @Test func `AL3 equal user keys of two tenants share no row, checkpoint, error or log line`()
        async throws
    {
        try await withWorld { world in
            try await world.addTenant("other")
            try await world.addUser("ann", videos: 40, hubID: "hub-a")
            try await world.addUser("ann", videos: 60, tenant: "other", hubID: "hub-b")
            try await world.source.fault(
                #"{"kind": "status", "status": 400, "body": "tea-pot", "user": "hub-b", "path": "/api/users/*/feed"}"#
            )
            try await world.drain()
            #expect(try await world.job("ann").isNull("last_error"))
            let error = try await world.job("ann", tenant: "other").text("last_error") ?? ""
            #expect(error.contains("tea-pot"))
            let kept = try await world.source.expected("hub-a").kept
            #expect(
                try await world.value(
                    """
                    select count(*) from synced.hub_video as v join jobrunner.users as u on u.id = v.user_id
                    join jobrunner.tenants as t on t.id = u.tenant_id where t.name = 'acme'
                    """) == String(kept))
            #expect(try await world.value("select count(*) from synced.hub_video") == String(kept))
            for line in world.lines.all
            where line.contains("user=ann") && !line.contains("run started") {
                #expect(line.contains("tenant=other") == line.contains("tea-pot"))
            }
            #expect(
                try await world.value(
                    "select count(*) from jobrunner.checkpoints where watermark is not null")
                    == "1")
        }
    }

    @Test func `AL3 a tenant with a hundred due jobs leaves another its slot`() async throws {
        try await withWorld { world in
            try await world.addTenant("small")
            try await world.source.command(
                "POST", "users",
                #"{"prefix": "b", "first": 1, "count": 100, "videos_min": 1, "videos_max": 2}"#)
            try await world.sql(
                """
                select jobrunner.add_user('acme', 'b' || lpad(n::text, 6, '0'), jsonb_build_object('hub_user_id', 'b' || lpad(n::text, 6, '0')))
                from generate_series(1, 100) as n
                """)
            try await world.addUser("late", videos: 5, tenant: "small")
            try await world.source.fault(#"{"kind": "hang", "path": "/health", "times": 0}"#)
            let worker = try await world.start(concurrency: 2)
            try await eventually("two run") {
                try await world.value("select count(*) from jobrunner.jobs where state = 'running'")
                    == "2"
            }
            #expect(try await world.job("late", tenant: "small").text("state") == "running")
            await worker.stop()
        }
    }

    @Test func `AL3 a tenant whose source is away opens its own breaker and delays nobody`()
        async throws
    {
        try await withWorld { world in
            // Nobody listens on port 1.
            try await world.addTenant("dark", base: "http://127.0.0.1:1")
            for number in 0..<12 {
                try await world.addUser("d\(number)", videos: 1, tenant: "dark")
                try await world.addUser("u\(number)", videos: 1)
            }
            try await world.drain(concurrency: 30)
            for number in 0..<12 {
                #expect(try await world.outcomes("d\(number)") == ["failed unavailable"])
                #expect(try await world.job("u\(number)").text("last_outcome") == "complete")
            }
            let blocked = try await world.rows(
                "select t.name from jobrunner.sources as s join jobrunner.tenants as t on t.id = s.tenant_id where s.blocked_until is not null"
            )
            #expect(blocked.map { $0.text("name") } == ["dark"])
        }
    }

    @Test func `AL3 one tenant's spent budget takes nothing from another's`() async throws {
        let yaml = World.generic(
            "single", page: "style: single, size: 20", source: "rate: { per_second: 0.001 }")
        try await withWorld(yaml) { world in
            try await world.addTenant("other")
            try await world.given(.tokens(0), .tokens(1, of: "other"))
            try await world.addUser("ann", videos: 5)
            try await world.addUser("bob", videos: 5, tenant: "other")
            let worker = try await world.start()
            try await eventually("the other tenant's run") {
                try await world.job("bob", tenant: "other").text("last_outcome") == "complete"
            }
            #expect(try await world.source.asked(by: "ann").isEmpty)
            #expect(try await world.job("ann").text("state") == "running")
            await worker.stop()
        }
    }
}
