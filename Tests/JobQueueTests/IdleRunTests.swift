import Postgres
import JobQueue
import Testing

/// Runs that found nothing new: nearly all, and ended by a statement of their own.
@Suite("Idle runs")
struct IdleRunTests {
    /// A claimed job whose next tick is half a period away, so that it is neither now nor a period from now.
    private func lend(
        _ body: (Fixture, _ user: Int64, _ claim: Claim) async throws -> Void
    ) async throws {
        try await Fixture.lend { fixture, worker, user async throws in
            try await fixture.given(.ticked())
            try await body(fixture, user, try await fixture.run(worker, user: user))
        }
    }

    private func finishIdle(
        _ claim: Claim, _ fixture: Fixture, isUnchanged: Bool = false
    ) async throws -> [Verdict] {
        // As a worker ends them: by their places, and what is not ended so as any other run.
        var run = FinishedRun(
            claim: claim, outcome: .complete, requests: 1, hasCommitted: false,
            isUnchanged: isUnchanged)
        run.place = try await place(of: claim.userID, fixture)
        if try await fixture.queue.finishIdleRuns([run]) == [claim.fence] { return [] }
        run.place = nil
        return try await fixture.queue.finishRuns([run])
    }

    /// Where a user's only job stands.
    private func place(of user: Int64, _ fixture: Fixture) async throws -> RowPlace? {
        let statement = Statement(
            "select j.ctid from jobrunner.jobs as j where j.user_id = $1", .int8(user))
        return try await fixture.pool.run { try $0.query(statement).only().optionalPlace(0) }
    }

    private static let isOnGrid = """
        due_at = jobrunner.next_tick(last_run_at, every, phase)
          and due_at - last_run_at between interval '29 min' and interval '31 min'
        """

    /// The claim's own lock is in the row that it made; the short way must know it from another's.
    @Test
    func
        `an idle run whose job nobody touched is ended by one update, and not while another holds it`()
        async throws
    {
        try await lend { fixture, user, claim async throws in
            let ended = """
                select cardinality(jobrunner.finish_idle_runs(
                  array[j.ctid], array[j.fence], array[j.nonce], array[true], array[null]))
                from jobrunner.jobs as j where j.user_id = $1 and j.name = $2
                """
            let holder = try await OpenTransaction(
                fixture.url, "select from jobrunner.jobs where user_id = \(user) for key share")
            #expect(try await fixture.int(ended, .int8(user), .text(claim.name)) == 0)
            try await holder.rollBack()
            let other = try await fixture.addUser("other")
            let worker = try await fixture.addWorker()
            let second = try await fixture.run(worker, user: other, name: claim.name)
            #expect(
                try await fixture.int(ended, .int8(other), .text(second.name)) == 1)
            // The first was asked for since, and history tells it: that is the other way's to write.
            try await fixture.given(.asked(.user(user)))
            #expect(try await fixture.int(ended, .int8(user), .text(claim.name)) == 0)
        }
    }

    /// A row that was changed since its claim stands elsewhere, and what stands in its place by then is another's.
    @Test func `a run is not ended by a place where its row does not stand`() async throws {
        try await lend { fixture, user, claim async throws in
            var run = FinishedRun(claim: claim, outcome: .complete, hasCommitted: false)
            run.place = try await place(of: user, fixture)
            try await fixture.given(.time(.unchanged, in: "-1 day", .user(user)))
            #expect(try await fixture.queue.finishIdleRuns([run]).isEmpty)
            let other = try await fixture.addUser("other")
            let second = try await fixture.run(try await fixture.addWorker(), user: other)
            run.place = try await place(of: other, fixture)
            #expect(try await fixture.queue.finishIdleRuns([run]).isEmpty)
            run.claim = second
            #expect(try await fixture.queue.finishIdleRuns([run]) == [second.fence])
        }
    }

    /// What follows is said in one place (after_run); both ways ask it.
    @Test(arguments: [
        "fence = fence", "consecutive_failures = 3, crashes = 1, stalled_runs = 2, deferrals = 4",
        "fruitless_runs = 9", "rerun_requested = true, rerun_forced = true, rerun_entity = 'video'",
        "cancel_requested_at = now()", "deferred_until = now() + interval '1 hour'",
        "paused_at = now()", "next_due_at = now() - interval '10 min'", "phase = null",
        "priority = -1", "reauth_needed_at = now()", "force_requested = true",
        "quarantined_at = now(), quarantine_reason = 'so'",
        "entity_requested = 'video', unchanged_at = now() - interval '1 day'",
        "last_outcome = 'partial', last_success_at = null",
    ])
    func `a run that is ended by its place leaves what any other way leaves`(_ state: String)
        async throws
    {
        try await lend { fixture, user, claim async throws in
            let other = try await fixture.addUser("other")
            _ = try await fixture.run(try await fixture.addWorker(), user: other)
            try await fixture.script(
                """
                update jobrunner.jobs as j
                set started_at = now() - interval '1 min', phase = f.phase, next_due_at = f.next_due_at, due_at = f.due_at,
                  deadline_at = f.deadline_at, last_run_at = f.last_run_at
                from jobrunner.jobs as f where f.user_id = \(user);
                update jobrunner.jobs set \(state);
                """)
            // One transaction, and so one time.
            try await fixture.script(
                """
                begin;
                select jobrunner.finish_idle_runs(
                  array[j.ctid], array[j.fence], array[j.nonce], array[true], array[null])
                from jobrunner.jobs as j where j.user_id = \(user);
                select jobrunner.finish_runs(array[jsonb_populate_record(
                  jobrunner.end_of(j, 'complete', null, null), '{"has_committed": false, "is_unchanged": true}')])
                from jobrunner.jobs as j where j.user_id = \(other);
                commit;
                """)
            let left = try await fixture.texts(
                "select (to_jsonb(j) - '{user_id,fence,nonce}'::text[])::text from jobrunner.jobs as j"
            )
            #expect(left.count == 2 && Set(left).count == 1, "\(left)")
            #expect(left[0].contains("\"state\": \"running\"") == false)
        }
    }

    @Test func `an idle run's job stays on its grid`() async throws {
        try await lend { fixture, user, claim async throws in
            #expect(try await finishIdle(claim, fixture).isEmpty)
            #expect(try await fixture.job(Self.isOnGrid, user: user) == "true")
        }
    }

    @Test(arguments: [Outcome.complete, .skipped])
    func `a run that is ended with others stays on its grid too`(_ outcome: Outcome) async throws {
        try await lend { fixture, user, claim async throws in
            try await fixture.finish(claim, outcome, kind: outcome == .skipped ? .missing : nil)
            #expect(try await fixture.job(Self.isOnGrid, user: user) == "true")
        }
    }

    @Test func `an idle run that outlasted its next tick is due again at once, not in the past`()
        async throws
    {
        try await lend { fixture, user, claim async throws in
            try await fixture.given(.time(.next, in: "-10 min", .user(user)))
            #expect(try await finishIdle(claim, fixture).isEmpty)
            #expect(try await fixture.job("due_at = last_run_at", user: user) == "true")
        }
    }

    /// The claim's columns, what was asked of the run, and what troubled the runs before.
    @Test
    func `an idle run leaves nothing of its claim, of what was asked, and of troubles before`()
        async throws
    {
        try await lend { fixture, user, claim async throws in
            try await fixture.script(
                """
                update jobrunner.jobs
                set cancel_requested_at = now(), force_requested = true,
                  entity_requested = 'video', deferred_until = now() + interval '1 hour',
                  consecutive_failures = 3, crashes = 2, stalled_runs = 4, last_outcome = 'failed',
                  last_error_kind = 'rejected', last_error = 'no', last_error_at = now(), last_success_at = null
                where user_id = \(user)
                """)
            #expect(try await finishIdle(claim, fixture).isEmpty)
            let left = try await fixture.texts(
                """
                select c.key || ' ' || c.value
                from jobrunner.jobs as j
                cross join lateral jsonb_each_text(to_jsonb(j)) as c
                where j.user_id = $1 and c.value is not null and c.key in (
                  'worker_id', 'started_at', 'deadline_at', 'next_due_at', 'limited_tenant_id', 'cancel_requested_at',
                  'force_requested', 'entity_requested', 'deferred_until', 'consecutive_failures', 'crashes',
                  'stalled_runs', 'last_outcome', 'last_error_kind', 'last_error', 'last_error_at', 'priority', 'state'
                )
                order by 1
                """, .int8(user))
            #expect(
                left == [
                    "consecutive_failures 0", "crashes 0", "force_requested false",
                    "last_outcome complete", "priority 0", "stalled_runs 0", "state waiting",
                ])
            #expect(
                try await fixture.job(
                    "last_success_at = last_run_at and now() - last_run_at < interval '1 min'",
                    user: user) == "true")
        }
    }

    @Test(arguments: [true, false])
    func `an idle run notes that nothing had changed where it saw that, and else leaves the note`(
        _ isUnchanged: Bool
    ) async throws {
        try await lend { fixture, user, claim async throws in
            try await fixture.given(.time(.unchanged, in: "-1 day", .user(user)))
            #expect(try await finishIdle(claim, fixture, isUnchanged: isUnchanged).isEmpty)
            #expect(
                try await fixture.job("unchanged_at = last_run_at", user: user) == "\(isUnchanged)")
        }
    }

    @Test func `an idle run that somebody asked for is recorded, and its job is asked for no more`()
        async throws
    {
        try await lend { fixture, user, claim async throws in
            try await fixture.given(.asked(.user(user)))
            let history =
                "concat_ws(' ', user_id, fence, tenant_id, name, worker_id, due_at, started_at)"
            let running = try await fixture.job(history, user: user)
            #expect(try await finishIdle(claim, fixture).isEmpty)
            #expect(
                try await fixture.texts(
                    "select concat_ws(' ', user_id, id, tenant_id, job_name, worker_id, scheduled_at, started_at) from jobrunner.runs"
                ) == [running])
            #expect(
                try await fixture.texts(
                    "select concat_ws(' ', outcome, request_count, entities) from jobrunner.runs")
                    == ["complete 1 {}"])
            #expect(try await fixture.job("priority", user: user) == "0")
            #expect(try await fixture.job(Self.isOnGrid, user: user) == "true")
        }
    }

    @Test func `after an idle run one more follows where it was asked for meanwhile`() async throws
    {
        try await lend { fixture, user, claim async throws in
            _ = try await fixture.text(
                "select jobrunner.enqueue('acme', 'ann', 'hub.refresh', false, 'video', true)")
            #expect(try await finishIdle(claim, fixture).isEmpty)
            let asked =
                "concat_ws(' ', due_at <= last_run_at, priority, force_requested, entity_requested, rerun_requested)"
            #expect(try await fixture.job(asked, user: user) == "t 1 t video f")
        }
    }

    /// As an event or an edit asks, without the priority of a person's request.
    @Test func `after an idle run one more follows where an event came meanwhile`() async throws {
        try await lend { fixture, user, claim async throws in
            try await fixture.script(
                "update jobrunner.jobs set rerun_requested = true where user_id = \(user)")
            #expect(try await finishIdle(claim, fixture).isEmpty)
            #expect(
                try await fixture.job(
                    "concat_ws(' ', due_at <= last_run_at, state, rerun_requested)", user: user)
                    == "t waiting f")
        }
    }

    @Test(arguments: ClaimPart.allCases)
    func `an idle run whose claim was lost ends nothing`(_ part: ClaimPart) async throws {
        try await lend { fixture, user, claim async throws in
            try await fixture.given(.lost(part))
            let before = try await fixture.job("jobs::text", user: user)
            #expect(try await finishIdle(claim, fixture).map(\.kind) == [.lost])
            #expect(try await fixture.job("jobs::text", user: user) == before)
        }
    }
}
