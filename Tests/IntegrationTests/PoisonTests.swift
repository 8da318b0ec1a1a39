import JSON
import Postgres
import Testing

/// What is stored for one job must not concern another's.
@Suite struct PoisonTests {
    /// A column, what it is set to, and what then becomes of its job; nil: it runs to its end.
    struct Poison: Sendable {
        var column: String
        var value: String
        var reason: String?

        init(_ column: String, _ value: String, fails reason: String?) {
            self.column = column
            self.value = value
            self.reason = reason
        }
    }

    private static let long = "repeat('x', 2000000)"

    static let attributes = [
        Poison("attributes", "'{\"poison\": 1e400}'", fails: nil),
        Poison(
            "attributes", "('{\"a\":' || repeat('[', 200) || repeat(']', 200) || '}')::jsonb",
            fails: nil),
        Poison(
            "attributes", "('{\"a\":' || repeat('[', 600) || repeat(']', 600) || '}')::jsonb",
            fails: "nested deeper than 512"),
    ]

    @Test(arguments: [
        long, "(select jsonb_agg('1e131071'::jsonb) from generate_series(1, 100))",
    ])
    func `attributes that are longer than a run is given are refused where they are given`(
        value: String
    ) async throws {
        try await withWorld(World.generic("single", page: "style: single, size: 20"), videos: 1) {
            world in
            for sql in [
                "select jobrunner.set_user('acme', 'ann', jsonb_build_object('poison', \(value)))",
                "select jobrunner.add_user('acme', 'bob', jsonb_build_object('poison', \(value)))",
            ] {
                await #expect { try await world.sql(sql) } throws: {
                    ($0 as? DatabaseError)?.constraint == "user_attributes_are_at_most_256_kib"
                }
            }
        }
    }

    static let checkpoints =
        [
            "sync_token", "pass_since", "watermark", "partial_watermark", "validator", "probe",
            "pass_probe",
        ].map {
            Poison($0, long, fails: "\($0) in the checkpoint of entity item is 2000000 bytes long")
        }
        + ["last_synced_at", "last_full_at"].flatMap { column in
            ["infinity", "-infinity"].map {
                Poison(
                    column, "'\($0)'",
                    fails: "\(column) in the checkpoint of entity item is no time")
            }
        } + [
            Poison(
                "pass_kind = 'full', pass_started_at = now(), cursor", long,
                fails: "cursor in the checkpoint of entity item is 2000000 bytes long"),
            Poison(
                "pass_kind = 'full', pass_started_at", "'-infinity'",
                fails: "pass_started_at in the checkpoint of entity item is no time"),
            Poison(
                "last_synced_at", "'294276-12-31'",
                fails: "last_synced_at in the checkpoint of entity item is no time"),
            Poison("last_full_at", "'4713-01-01 BC'", fails: nil),
            Poison("generation", "9223372036854775807", fails: nil),
            Poison("page_number", "2147483647", fails: nil),
            Poison(
                "pass_number", "2147483647",
                fails: "pass_number in the checkpoint of entity item has no next"),
            Poison("full_asked", "2147483647", fails: nil),
            Poison("counters.pages", "2147483647", fails: nil),
            Poison("counters.pushed", "9223372036854775807", fails: nil),
            Poison("consecutive_failures", "2147483647", fails: nil),
            Poison("last_error_kind", long, fails: nil),
            Poison("run_fence", "9223372036854775807", fails: nil),
        ]

    @Test func `a poisoned column ends its own job with a reason, and no other job of the batch`()
        async throws
    {
        let poisons = Self.attributes + Self.checkpoints
        try await withWorld(World.generic("single", page: "style: single, size: 20"), videos: 5) {
            world in
            try await world.addUser("zoe", videos: 5)
            for number in poisons.indices { try await world.addUser("p\(number)", videos: 2) }
            try await world.drain()
            for (number, poison) in poisons.enumerated() {
                let user = try await world.userID("p\(number)")
                if poison.column == "attributes" {
                    try await world.sql(
                        "update jobrunner.users set attributes = attributes || \(poison.value) where id = \(user)"
                    )
                } else {
                    try await world.sql(
                        "update jobrunner.checkpoints set \(poison.column) = \(poison.value) where user_id = \(user)"
                    )
                }
            }
            try await world.makeDue()
            let worker = try await world.start()
            for (number, poison) in poisons.enumerated() {
                let user = "p\(number)"
                try await eventually("\(poison.column) = \(poison.value.prefix(40))") {
                    try await world.value(
                        """
                        select j.state = 'waiting' and j.due_at > now() from jobrunner.jobs as j
                        join jobrunner.users as u on u.id = j.user_id where u.key = $1
                        """, .text(user)) == "true"
                }
                let job = try await world.job(user)
                guard let reason = poison.reason else {
                    #expect(
                        job.text("last_outcome") == "complete",
                        "\(poison): \(job.text("last_error") ?? "")")
                    continue
                }
                #expect(try await world.outcomes(user).last == "failed malformed", "\(poison)")
                #expect(
                    job.text("last_error")?.contains(reason) == true,
                    "\(poison): \(job.text("last_error") ?? "")")
            }
            for user in ["ann", "zoe"] {
                #expect(try await world.job(user).text("last_outcome") == "complete")
                #expect(try await world.job(user).int("consecutive_failures") == 0)
            }
            await worker.stop()
        }
    }

    /// What a test does to one user's rows, and how its next run ends.
    struct Row: Sendable {
        var sql: String
        var end = "complete"
        var reason = ""
    }

    private static let farTimes = [
        "'infinity'", "'-infinity'", "'294276-12-31'", "'4713-01-01 BC'",
    ]
    private static let full = "'x' || repeat('y', 16383)"

    private static let memorySQL = """
        where user_id = $1 and call = (select min(call) from jobrunner.call_memory where user_id = $1)
        """

    static let memory =
        (["null", "''", full].map { "list_hash = \($0)" }
        + farTimes.map { "last_succeeded_at = \($0)" } + ["call = \(full)", "call = ''"]).map {
            Row(sql: "update jobrunner.call_memory set \($0) \(memorySQL)")
        } + [
            Row(
                sql: "update jobrunner.call_memory set list_hash = \(long) \(memorySQL)",
                end: "failed malformed", reason: "list_hash in the memory of call")
        ]

    static let secrets =
        [
            // The database itself refuses what names no key of the tenant.
            "substring(sealed from 1 for 9)", "sealed || '\\x00'",
            "overlay(sealed placing '\\x00' from 1)", "overlay(sealed placing '\\x00' from 30)",
        ].map {
            Row(
                sql: "update jobrunner.secrets set sealed = \($0) where user_id = $1",
                end: "needs_reauth unauthorised", reason: "secret")
        }
        + ["9223372036854775807", "-9223372036854775808"].map {
            Row(sql: "update jobrunner.secrets set version = \($0) where user_id = $1")
        }
        + farTimes.map {
            Row(sql: "update jobrunner.secrets set updated_at = \($0) where user_id = $1")
        } + [
            Row(
                sql:
                    "update jobrunner.secrets set sealed = substring(sealed from 1 for 9) || decode(repeat('78', 16375), 'hex') where user_id = $1",
                end: "needs_reauth unauthorised", reason: "secret"),
            Row(
                sql:
                    "update jobrunner.secrets set sealed = substring(sealed from 1 for 9) || decode(repeat('78', 999991), 'hex') where user_id = $1",
                end: "failed malformed", reason: "secret key is 1000000 bytes long"),
        ]

    /// Each row of `poisons` is the trouble of a user of its own; what the others do is as ever.
    private func check(_ poisons: [Row], in world: World) async throws {
        for (number, poison) in poisons.enumerated() {
            let user = try await world.userID("p\(number)")
            try await world.sql("\(poison.sql)", .int8(Int64(user)))
        }
        let before = try await world.value("select last_value from jobrunner.fences") ?? ""
        try await world.sql(
            """
            update jobrunner.jobs as j set due_at = least(j.due_at, now()) from jobrunner.users as u
            where u.id = j.user_id and j.worker_id is null
            """)
        let worker = try await world.start()
        for user in poisons.indices.map({ "p\($0)" }) + ["ann", "zoe"] {
            try await eventually("\(user) has run") {
                try await world.value(
                    """
                    select bool_and(j.worker_id is null and j.fence > $2 and j.fence < $2 + 1000000)
                    from jobrunner.jobs as j join jobrunner.users as u on u.id = j.user_id where u.key = $1
                    """, .text(user), .int8(Int64(before) ?? 0)) == "true"
            }
        }
        await worker.stop()
        for (number, poison) in poisons.enumerated() {
            let job = try await world.job("p\(number)")
            let end = [job.text("last_outcome"), job.text("last_error_kind")].compactMap { $0 }
            #expect(end.joined(separator: " ") == poison.end, "\(poison.sql)")
            let error = job.text("last_error") ?? ""
            #expect(
                poison.reason.isEmpty || error.contains(poison.reason), "\(poison.sql): \(error)")
        }
        for user in ["ann", "zoe"] {
            #expect(try await world.job(user).text("last_outcome") == "complete")
            #expect(try await world.job(user).int("consecutive_failures") == 0)
        }
    }

    @Test func `poisoned memory of calls is its own job's trouble`() async throws {
        try await withWorld { world in
            for user in ["ann", "zoe"] + Self.memory.indices.map({ "p\($0)" }) {
                try await world.addUser(user, videos: 2)
            }
            try await world.drain()
            try await check(Self.memory, in: world)
        }
    }

    @Test func `poisoned secrets are their own job's trouble`() async throws {
        let yaml = World.generic(
            "single", page: "style: single, size: 20",
            source: #"auth: { type: bearer, token: "{secret.key}" }"#)
        try await withWorld(yaml, sealer: true) { world in
            for user in ["ann", "zoe"] + Self.secrets.indices.map({ "p\($0)" }) {
                try await world.addUser(user, videos: 2)
                try await world.store("open", as: "key", of: user)
            }
            try await world.drain()
            try await check(Self.secrets, in: world)
        }
    }

    @Test func `what the server can't give of one job is asked for job by job`() async throws {
        try await withWorld(World.generic("single", page: "style: single, size: 20")) { world in
            for user in ["ann", "bob", "zoe"] { try await world.addUser(user, videos: 5) }
            try await world.sql(
                "alter function jobrunner.run_inputs(bigint[], text[], integer[], text[]) rename to given"
            )
            let bob = try await world.userID("bob")
            // What a value of more than a gigabyte of text does, at less cost.
            try await world.sql(
                """
                create function jobrunner.run_inputs(
                  in_users bigint[], in_names text[], in_reads integer[], in_secrets text[]
                ) returns table (
                  place integer, tenant_name text, user_key text, attributes text, checkpoints text,
                  calls text, secrets text, too_long text
                ) language plpgsql as $$
                begin
                  if \(bob) = any (in_users) then raise 'too much' using errcode = '54000'; end if;
                  return query select * from jobrunner.given(in_users, in_names, in_reads, in_secrets);
                end
                $$
                """)
            try await world.drain()
            #expect(try await world.outcomes("bob") == ["failed malformed"])
            let error = try await world.job("bob").text("last_error") ?? ""
            #expect(error.hasPrefix("the server can't give what is stored for the run"))
            #expect(try await world.job("ann").text("last_outcome") == "complete")
            #expect(try await world.job("zoe").text("last_outcome") == "complete")
        }
    }

    @Test func `an absurd address of one tenant's source stops no other tenant`() async throws {
        try await withWorld(World.generic("single", page: "style: single, size: 20")) { world in
            try await world.addTenant("evil")
            try await world.addUser("eve", videos: 5, tenant: "evil")
            try await world.addUser("ann", videos: 5)
            try await world.sql(
                """
                update jobrunner.sources as s set base = s.base || \(Self.long)
                from jobrunner.tenants as t where t.id = s.tenant_id and t.name = 'evil'
                """)
            try await world.drain()
            #expect(try await world.job("ann").text("last_outcome") == "complete")
            #expect(try await world.job("eve", tenant: "evil").text("last_outcome") == "failed")
        }
    }

    /// Answers of a source that would be a checkpoint longer than 16 KiB.
    static let overlong = [
        ("token", "style: token, token_at: next_token, size: 2", "next_token"),
        ("next_url", "style: next_url, url_at: next, size: 2", "next"),
        (
            "sync", "style: sync_token, token_at: sync_token, more_at: more, size: 2",
            "sync_token"
        ),
        (
            "keyset", "style: keyset, token_at: maxSeqReturned, start: \"0\", size: 2",
            "maxSeqReturned"
        ),
    ]

    @Test(arguments: overlong)
    func `what a source wants remembered beyond 16 KiB fails its run, and nothing is stored of it`(
        path: String, page: String, member: String
    ) async throws {
        let token = path == "next_url" ? "" : #"cursor: "{page.token}""#
        try await withWorld(World.generic(path, page: page, query: token), videos: 3) { world in
            // Blanks become three bytes each in an address.
            let long = String(repeating: path == "next_url" ? " " : "7", count: 16_400)
            let items = #"[{"id": "a", "seq": 1}]"#
            let body = JSONValue.string(
                #"{"items": \#(items), "more": true, "\#(member)": "?\#(long)"}"#
            ).text
            try await world.source.fault(
                #"{"kind": "status", "status": 200, "times": 0, "body": \#(body)}"#)
            try await world.drain()
            #expect(try await world.outcomes("ann") == ["failed malformed"])
            let error = try await world.job("ann").text("last_error") ?? ""
            #expect(error.contains("the source's cursor is"), "\(error)")
            #expect(error.contains("bytes long, expected at most 16384"), "\(error)")
            #expect(
                try await world.value(
                    "select count(*) from jobrunner.checkpoints where cursor is not null or sync_token is not null"
                )
                    == "0")
        }
    }
}
