import Postgres
import JobQueue
import Testing

/// The statements are cut out of the functions themselves, so that these tests follow them.
@Suite("Plans")
struct PlanTests {
    /// 20,000 jobs of one tenant, of which one in a hundred is due.
    private func fill(_ fixture: Fixture) async throws {
        try await fixture.addUsers(20_000)
        try await fixture.given(.notDue(.users(modulo: 100).others, for: "30 min"))
        try await fixture.script("vacuum analyze jobrunner.jobs")
    }

    @Test
    func `a claim walks index jobs_due from where the last one ended, and no further than now`()
        async throws
    {
        try await Fixture.lend { fixture async throws in
            try await fill(fixture)
            let look =
                try await "select j.user_id, j.tenant_id, j.priority"
                + fixture.statement(
                    of: "look_due", from: "select j.user_id, j.tenant_id, j.priority",
                    to: "  ), lanes as (",
                    // The longer names first, for they begin with the others.
                    variables: ["in_since_user_id", "in_since", "in_names"])
            for mode in modes {
                let plan = try await fixture.plan(
                    of: look, types: "bigint, timestamptz, text[]",
                    arguments: "0, now() - interval '1 s', '{hub.refresh}'", mode: mode)
                #expect(plan.contains("Index Scan using jobs_due on jobs j"), "\(plan)")
                let condition = try #require(
                    plan.split(separator: "\n").first { $0.contains("Index Cond") })
                for part in ["ROW(claimable_at, user_id) >= ROW(", "claimable_at <= "] {
                    #expect(condition.contains(part), "\(plan)")
                }
                #expect(!plan.contains("Sort"), "\(plan)")
            }
        }
    }

    @Test(arguments: ["claim_of_tenants", "look_at_tenants"])
    func `what waits of a tenant is read from its floor on in jobs_of_tenant, in order`(
        _ verb: String
    ) async throws {
        try await Fixture.lend { fixture async throws in
            try await fill(fixture)
            let isClaim = verb == "claim_of_tenants"
            let first = isClaim ? "select l.ctid" : "select t.id as tenant_id"
            let statement =
                try await first
                + fixture.statement(
                    of: verb, from: first, to: isClaim ? "  );\n  jobs" : "  ) as d;",
                    variables: isClaim
                        ? [
                            "in_tenant_ids", "in_shares", "in_new_shares", "restricted", "in_times",
                            "in_user_ids", "in_names", "in_limit",
                        ] : ["v_ids", "in_names", "in_since", "in_until"])
            for mode in modes {
                let plan = try await fixture.plan(
                    of: statement,
                    types: isClaim
                        ? "bigint[], integer[], integer[], jobrunner.remaining_capacity[], timestamptz[], bigint[], text[], integer"
                        : "bigint[], text[], timestamptz, timestamptz",
                    arguments: isClaim
                        ? "'{1,2}', '{50,50}', '{0,0}', '{}', array_fill(now(), array[6]), '{0,0,0,0,0,0}', '{hub.refresh}', 100"
                        : "'{1,2}', '{hub.refresh}', '-infinity', 'infinity'", mode: mode)
                #expect(plan.contains("Index Scan using jobs_of_tenant on jobs j"), "\(plan)")
                let condition = try #require(
                    plan.split(separator: "\n").first { $0.contains("Index Cond") })
                for part in [
                    "ROW(tenant_id, priority, claimable_at) <= ROW(",
                    isClaim
                        ? "ROW(tenant_id, priority, claimable_at, user_id) >= ROW("
                        : "ROW(tenant_id, priority, claimable_at) >= ROW(",
                ] {
                    #expect(condition.contains(part), "\(plan)")
                }
                #expect(!plan.contains("Sort"), "\(plan)")
                #expect(!plan.contains("Seq Scan"), "\(plan)")
            }
        }
    }

    @Test func `a hold and an outcome read their job by the primary key, also after a quiet hour`()
        async throws
    {
        try await Fixture.lend { fixture async throws in
            try await fill(fixture)
            let hold = try await fixture.statement(
                of: "hold_job", from: "begin\\n", to: ";",
                variables: ["in_user_id", "in_name", "in_fence", "in_nonce"])
            let ending = try await fixture.statement(
                of: "end_claims", from: "\\nbegin\\n", to: "  select array_agg(c.user_id)",
                variables: ["in_ends"])
            let idle = try await fixture.statement(
                of: "finish_idle_runs", from: "\\nbegin\\n", to: "  select array_agg(c.user_id)",
                variables: ["in_places", "in_fences", "in_nonces", "in_unchanged", "in_hosts"])
            let locking = try await fixture.statement(
                of: "lock_ends", from: "from (\\n", to: "  ) as l;", variables: ["in_ends"])
            for mode in modes {
                let one = try await fixture.plan(
                    of: hold.replacing(" into v_stop", with: ""),
                    types: "bigint, text, bigint, uuid",
                    arguments: "1, 'hub.refresh', 1, gen_random_uuid()", mode: mode)
                #expect(one.contains("Index Scan using jobs_pkey on jobs j"), "\(one)")
                let many = try await fixture.plan(
                    of: locking, types: "jobrunner.run_end[]", arguments: ends, mode: mode)
                #expect(many.contains("Index Scan using jobs_pkey on jobs j"), "\(many)")
                let end = try await fixture.plan(
                    of: ending + "select * from ended", types: "jobrunner.run_end[]",
                    arguments: ends, mode: mode)
                #expect(end.contains("Index Scan using jobs_pkey on jobs b"), "\(end)")
                // The row itself is reached where it was seen, and what follows is part of the plan.
                #expect(end.contains("Tid Scan on jobs j"), "\(end)")
                #expect(!end.contains("Function Scan on after_run"), "\(end)")
                let short = try await fixture.plan(
                    of: idle + "select * from ended",
                    types: "tid[], bigint[], uuid[], boolean[], text[]",
                    arguments:
                        "array['(0,1)'::tid], array[1], array[gen_random_uuid()], array[true], array[null]",
                    mode: mode)
                #expect(short.contains("Tid Scan on jobs b"), "\(short)")
                #expect(short.contains("Tid Scan on jobs j"), "\(short)")
                #expect(!short.contains("Function Scan on after_run"), "\(short)")
            }
        }
    }

    private let ends = """
        array[(1, 'a', 1, gen_random_uuid(), 'complete', null, null, null, null, 0, null, null, false, true, null, null, null,
          random(), null)::jobrunner.run_end]
        """
    private let modes = ["force_generic_plan", "force_custom_plan"]
}

extension Fixture {
    /// A piece of a function's body, with its variables as `$1`, `$2`, ….
    fileprivate func statement(
        of function: String, from start: String, to end: String, variables: [String]
    ) async throws -> String {
        let piece = try await text(
            "select split_part(split_part(prosrc, E'\(start)', 2), '\(end)', 1) from pg_proc where proname = '\(function)'"
        )
        return variables.enumerated().reduce(piece) { text, variable in
            text.replacing(variable.element, with: "$\(variable.offset + 1)")
        }
    }

    fileprivate func plan(
        of statement: String, types: String, arguments: String, mode: String
    ) async throws -> String {
        try await pool.run { session in
            try session.script(
                "deallocate all; set plan_cache_mode = \(mode); prepare asked (\(types)) as \(statement)"
            )
            return try session.query(
                .unprepared("explain (costs off) execute asked (\(arguments))")
            ).map { try $0.text(0) }.joined(separator: "\n")
        }
    }
}
