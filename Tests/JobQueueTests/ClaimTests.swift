import JSON
import Postgres
import Claiming
import JobQueue
import Testing

@Suite("Claims")
struct ClaimTests {
    @Test
    func
        `a claim takes the oldest due first, those asked for before all, and no more than its limit`()
        async throws
    {
        try await Fixture.lend(users: 5) { fixture, worker async throws in
            try await fixture.given(
                .due(each: "1 min"), .notDue(.last, for: "1 min"), .asked(.nth(1)))
            let ids = try await fixture.texts(
                "select user_id::text from jobrunner.jobs order by user_id"
            ).compactMap { Int64($0) }
            let first = try await fixture.claim(worker, limit: 2)
            #expect(first.map(\.claim.userID) == [ids[1], ids[3]])
            #expect(first.map(\.isAsked) == [true, false])
            let rest = try await fixture.claim(worker, limit: 10)
            #expect(rest.map(\.claim.userID) == [ids[2], ids[0]])
            #expect(try await fixture.claim(worker, limit: 10).isEmpty)
        }
    }

    @Test func `fences rise with every claim and nonces differ`() async throws {
        try await Fixture.lend { fixture, worker, user async throws in
            let first = try await fixture.run(worker, user: user)
            try await fixture.finish(first)
            let second = try await fixture.run(worker, user: user)
            #expect(second.fence > first.fence)
            #expect(second.nonce != first.nonce)
        }
    }

    @Test func `a claim brings all that its run needs to begin`() async throws {
        try await Fixture.lend { fixture, worker, user async throws in
            let other = try await fixture.addUser("bob")
            try await fixture.script(
                """
                select jobrunner.set_user('acme', 'ann', '{"hub_user_id": "h1"}');
                select jobrunner.put_secret(tenant_id, id, 'own', \(sealed("0a"))) from jobrunner.users where id = \(user);
                select jobrunner.put_secret(tenant_id, 0, 'shared', \(sealed("0b"))) from jobrunner.users where id = \(user);
                select jobrunner.put_secret(tenant_id, id, 'foreign', \(sealed("0c"))) from jobrunner.users where id = \(other);
                """)
            let first = try await fixture.run(worker, user: user)
            try await fixture.commit(first, page(1, token: "t"))
            try await fixture.remember("register", listHash: "abc", for: first)
            try await fixture.finish(first, .partial, kind: .deadline)
            let job = try #require(
                try await fixture.claim(worker).first { $0.claim.userID == user })
            #expect(job.tenantName == "acme")
            #expect(job.userKey == "ann")
            #expect(job.deadline == .seconds(300))
            #expect(job.attributes["hub_user_id"]?.string == "h1")
            #expect(
                Set(job.secrets.map { "\($0.userID) \($0.name) \($0.sealed.suffix(1))" }) == [
                    "\(user) own [10]", "0 shared [11]",
                ])
            #expect(job.checkpoint(of: "video").cursor == "next")
            #expect(job.checkpoint(of: "video").pageNumber == 1)
            #expect(job.checkpoint(of: "video").syncToken == "t")
            #expect(job.checkpoint(of: "video").passStartedAt == 1_700_000_000_000_000)
            #expect(job.calls.map(\.call) == ["register"])
            #expect(job.calls.first?.listHash == "abc")
        }
    }

    @Test func `invariant 1: of eight claimers no two ever get the same job, and none too many`()
        async throws
    {
        try await Fixture.lend(lanes: 8, users: 500) { fixture, worker async throws in
            let claimed = try await withThrowingTaskGroup(of: [ClaimedJob].self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        var all: [ClaimedJob] = []
                        while true {
                            let some = try await fixture.claim(worker, limit: 17)
                            #expect(some.count <= 17)
                            if some.isEmpty { return all }
                            all += some
                        }
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(Set(claimed.map(\.claim.userID)).count == claimed.count)
            // Rows that another claimer had locked while this one looked are found by the next look.
            let late = try await fixture.claim(worker, limit: 500)
            #expect(claimed.count + late.count == 500)
        }
    }

    /// Also where all that is due fits the slots.
    @Test(arguments: [200, 4])
    func `max_running is never exceeded by eight claimers at once`(_ users: Int) async throws {
        try await Fixture.lend(lanes: 8) { fixture, worker async throws in
            try await fixture.addTenant("small", maxRunning: 3)
            try await fixture.addUsers(users, tenant: "small")
            let counts = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 { group.addTask { try await fixture.claim(worker, limit: 5).count } }
                return try await group.reduce(into: 0) { $0 += $1 }
            }
            #expect(counts == 3)
            #expect(
                try await fixture.int(
                    "select count(*) from jobrunner.jobs where worker_id is not null") == 3)
        }
    }

    @Test func `only jobs of the named files are claimed`() async throws {
        try await Fixture.lend { fixture, worker async throws in
            try await fixture.addUser()
            #expect(try await fixture.claim(worker, names: [Fixture.status]).isEmpty)
            #expect(try await fixture.queue.hasWork(names: [Fixture.status]) == false)
            #expect(try await fixture.queue.hasWork(names: [Fixture.refresh]))
            #expect(try await fixture.claim(worker, names: [Fixture.refresh]).count == 1)
            #expect(try await fixture.queue.hasWork(names: [Fixture.refresh]))
        }
    }

    @Test func `of a tenant with several jobs due only those of the named files are claimed`()
        async throws
    {
        try await Fixture.lend { fixture, worker async throws in
            try await fixture.script("select jobrunner.give_job('acme', 'hub.status')")
            try await fixture.addUser()
            try await fixture.addUser("bob")
            try await fixture.given(.due(for: "1 min"), .asked(.last))
            let claimed = try await fixture.claim(worker, names: [Fixture.status])
            #expect(claimed.map(\.claim.name) == [Fixture.status, Fixture.status])
            #expect(claimed.map(\.isAsked).sorted { $0 && !$1 } == [true, false])
        }
    }

    @Test func `a claim passes by the jobs that an open transaction holds`() async throws {
        try await Fixture.lend(users: 4) { fixture, worker async throws in
            try await fixture.given(.asked(.users(modulo: 2)))
            let held = """
                select from jobrunner.jobs
                where user_id in (select min(user_id) from jobrunner.jobs group by priority) for update
                """
            try await fixture.during(held) {
                let claimed = try await fixture.claim(worker)
                #expect(claimed.map(\.isAsked).sorted { $0 && !$1 } == [true, false])
            }
            #expect(try await fixture.claim(worker).count == 2)
        }
    }

    @Test func `a run's deadline is counted from its claim`() async throws {
        try await Fixture.lend { fixture, worker, user async throws in
            _ = try await fixture.run(worker, user: user)
            #expect(try await fixture.job("deadline_at - started_at", user: user) == "00:05:00")
        }
    }

    @Test func `a worker that drains or was given up claims nothing`() async throws {
        try await Fixture.lend { fixture, worker async throws in
            try await fixture.addUser()
            _ = try await fixture.queue.beat(worker: worker, isDraining: true)
            await #expect(throws: QueueError.workerEnded) { try await fixture.claim(worker) }
            await #expect(throws: QueueError.workerEnded) { try await fixture.claim(worker + 1) }
        }
    }

    @Test func `released claims are due as before, without an outcome`() async throws {
        try await Fixture.lend { fixture, worker, user async throws in
            let due = try await fixture.job("due_at", user: user)
            let claims = try await fixture.claim(worker).map(\.claim)
            #expect(try await fixture.queue.releaseJobs(claims) == 1)
            #expect(try await fixture.job("due_at", user: user) == due)
            #expect(try await fixture.job("last_outcome", user: user) == "null")
        }
    }
}

@Suite("Fairness between tenants")
struct FairnessTests {
    private func counts(_ jobs: [ClaimedJob]) -> [String: Int] {
        Dictionary(grouping: jobs, by: \.tenantName).mapValues(\.count)
    }

    @Test
    func
        `invariant 10: five due jobs are all in one round of a hundred beside another tenant's 100,000`()
        async throws
    {
        try await Fixture.lend(users: 100_000) { fixture, worker async throws in
            try await fixture.addTenant("tiny")
            try await fixture.addUsers(5, tenant: "tiny")
            try await fixture.script("analyze jobrunner.jobs")
            // Until it has seen all that is due, a worker fills half its slots.
            let claimer = fixture.claimer(100)
            var claimed: [ClaimedJob] = []
            while claimed.count < 100 {
                claimed += try await claimer.claim(worker: worker, slots: 100 - claimed.count)
            }
            #expect(counts(claimed) == ["tiny": 5, "acme": 95])
        }
    }

    @Test func `slots are shared by weight, and what the worker runs already counts`() async throws
    {
        try await Fixture.lend { fixture, worker async throws in
            let claimer = fixture.timelessClaimer(100)
            try await fixture.addTenant("heavy", weight: 3)
            try await fixture.addUsers(200)
            try await fixture.addUsers(200, tenant: "heavy")
            try await fixture.look(claimer, worker: worker)
            #expect(
                counts(try await claimer.claim(worker: worker, slots: 40)) == [
                    "acme": 10, "heavy": 30,
                ])
            try await fixture.addTenant("late")
            try await fixture.addUsers(200, tenant: "late")
            // 100 slots in all, weights 1, 3 and 1: 20, 60 and 20, of which 10 and 30 are held.
            claimer.rescan()
            try await fixture.look(claimer, worker: worker)
            #expect(
                counts(try await claimer.claim(worker: worker, slots: 60)) == [
                    "acme": 10, "heavy": 30, "late": 20,
                ])
        }
    }

    @Test func `what a tenant leaves of its share goes to the others`() async throws {
        try await Fixture.lend { fixture, worker async throws in
            try await fixture.addTenant("heavy", weight: 1000)
            try await fixture.addUsers(2, tenant: "heavy")
            try await fixture.addTenant("capped", maxRunning: 1)
            try await fixture.addUsers(50, tenant: "capped")
            try await fixture.addUsers(50)
            #expect(
                counts(try await fixture.claim(worker, limit: 40)) == [
                    "acme": 37, "heavy": 2, "capped": 1,
                ])
        }
    }

    @Test func `AL3 a paused tenant's jobs stay where they are, all others go on`() async throws {
        try await Fixture.lend { fixture, worker async throws in
            try await fixture.addTenant("other")
            try await fixture.addUsers(3)
            try await fixture.addUsers(3, tenant: "other")
            #expect(try await fixture.int("select jobrunner.pause_jobs('acme')") == 3)
            // They are not even found: nobody remembers them, and nobody asks for them again.
            #expect(
                try await fixture.int(
                    "select sum(n) from jobrunner.claim_new(\(worker), 2, '{hub.refresh}', '-infinity', 0) as c, unnest((c.due).counts) as n"
                )
                    == 3)
            #expect(counts(try await fixture.claim(worker)) == ["other": 3])
            _ = try await fixture.int("select jobrunner.resume_jobs('acme')")
            #expect(counts(try await fixture.claim(worker)) == ["acme": 3])
        }
    }
}
