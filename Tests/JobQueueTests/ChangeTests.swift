import JSON
import Postgres
import JobQueue
import Testing

@Suite("Changes and repairs")
struct ChangeTests {
    @Test(.timeLimit(.minutes(10)))
    func `ST27 readers are told of runs that changed something, and of no others`() async throws {
        try await Fixture.lend { fixture async throws in
            let user = try await fixture.addUser()
            let other = try await fixture.addUser("bob")
            let worker = try await fixture.addWorker()
            let listener = Listener(
                try DatabaseConfiguration(
                    conninfo: fixture.url, applicationName: "test", lanes: 1),
                channels: ["jobrunner_changed", "end"])
            var events = listener.events.makeAsyncIterator()
            #expect(await events.next() == .listening)

            let counts = PageCounts(fetched: 3, inserted: 1, updated: 2)
            // Not asked for by the job file.
            let silent = try await fixture.run(worker, user: user)
            try await fixture.commit(silent, page(1, isEnd: true), counts)
            try await fixture.finish(silent)
            try await fixture.given(.notifying())
            // Nothing changed.
            let idle = try await fixture.run(worker, user: user)
            try await fixture.commit(
                idle, page(1, isEnd: true, pass: 2), PageCounts(fetched: 1, unchanged: 1))
            try await fixture.finish(idle)
            let changed = try await fixture.run(worker, user: user)
            try await fixture.commit(changed, page(1, isEnd: true, pass: 3), counts)
            try await fixture.finish(changed)
            // A crash keeps what was committed, so readers have to know.
            let crashed = try await fixture.run(worker, user: other)
            try await fixture.commit(crashed, page(1), counts)
            try await fixture.given(.silent())
            _ = try await fixture.queue.reapJobs(lease: .seconds(60))
            try await fixture.script("select pg_notify('end', '')")

            var told: [String] = []
            while case .notification(let channel, let payload)? = await events.next(),
                channel != "end"
            {
                told.append(payload)
            }
            listener.close()
            // Numbers alone: every login of the database may listen.
            let tenant = try await fixture.value("select id from jobrunner.tenants") ?? ""
            #expect(
                told == [
                    "\(tenant):\(user):\(changed.fence)", "\(tenant):\(other):\(crashed.fence)",
                ])
        }
    }

    @Test func `LU21 a repair asks for full passes of all entities, due now`() async throws {
        try await Fixture.lend { fixture, worker, user, claim async throws in
            try await fixture.commit(claim, page(1, token: "t", isEnd: true))
            try await fixture.finish(claim)
            #expect(try await fixture.queue.repairJobs(JobScope(tenant: "acme", user: "ann")) == 1)
            let claimed = try await fixture.claim(worker)
            #expect(claimed.first?.checkpoints.map(\.isRepairRequested) == [true, true])
            #expect(claimed.first?.checkpoints.map(\.isFullRequested) == [true, true])
        }
    }

    @Test func `LU23 a new secret makes the check of the account stale`() async throws {
        try await Fixture.lend { fixture async throws in
            let user = try await fixture.addUser()
            try await fixture.script(
                """
                \(Given.called("cloudkit.check_account", list: "ann"))
                \(Given.called("register", list: "x"))
                select jobrunner.put_secret(tenant_id, id, 'token', \(sealed())) from jobrunner.users where id = \(user);
                """)
            let worker = try await fixture.addWorker()
            let calls = try #require(try await fixture.claim(worker).first?.calls)
            let ages = Dictionary(uniqueKeysWithValues: calls.map { ($0.call, $0.age) })
            #expect(try #require(ages["cloudkit.check_account"]) > .seconds(1_000_000_000))
            #expect(try #require(ages["register"]) < .seconds(60))
            #expect(calls.first { $0.call == "cloudkit.check_account" }?.listHash == "ann")
        }
    }

    @Test func `full passes are asked of an entity and of every chunk of it that has a checkpoint`()
        async throws
    {
        try await Fixture.lend { fixture async throws in
            let user = try await fixture.addUser()
            try await fixture.script(
                """
                \(Given.entities(#"{"entity": "video", "for_each": {"list": "x", "chunk": 2}}, {"entity": "channel"}"#, of: "hub.refresh"))
                \(Given.checkpoint("video#1", "video#2"))
                select jobrunner.enqueue('acme', 'ann', 'hub.refresh', true);
                """)
            #expect(
                try await fixture.texts(
                    "select entity || full_requested from jobrunner.checkpoints where user_id = \(user) order by entity collate \"C\""
                )
                    == ["channeltrue", "videotrue", "video#1true", "video#2true"])
            #expect(
                try await fixture.int(
                    "select jobrunner.reset_jobs('acme', 'ann', 'hub.refresh', 'video')") == 3)
        }
    }
}
