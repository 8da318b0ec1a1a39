import Postgres
import JobQueue
import Testing

@Suite("Enqueue")
struct EnqueueTests {
    private let enqueue = "select jobrunner.enqueue('acme', 'ann', 'hub.refresh')"

    @Test func `twenty enqueues are one run, asked for and therefore recorded`() async throws {
        try await Fixture.lend { fixture, worker, user async throws in
            try await fixture.finish(try await fixture.run(worker, user: user))
            for _ in 0..<20 { #expect(try await fixture.text(enqueue) == "due") }
            let claimed = try await fixture.claim(worker)
            #expect(claimed.map(\.isAsked) == [true])
            try await fixture.finish(claimed[0].claim)
            #expect(try await fixture.claim(worker).isEmpty)
            #expect(
                try await fixture.texts(
                    "select outcome from jobrunner.runs where id = \(claimed[0].claim.fence)")
                    == ["complete"])
            #expect(try await fixture.job("priority", user: user) == "0")
        }
    }

    @Test(arguments: Outcome.allCases)
    func `twenty enqueues during a run are exactly one more, however the run ends`(outcome: Outcome)
        async throws
    {
        try await Fixture.lend { fixture, worker, user, claim async throws in
            for _ in 0..<20 { #expect(try await fixture.text(enqueue) == "follows_running") }
            try await fixture.finish(
                claim, outcome, kind: outcome == .complete ? nil : .rejected,
                wait: outcome == .deferred ? .seconds(3600) : nil)
            let follows = try await fixture.claim(worker)
            switch outcome {
            case .deferred:
                // The request waits for the end of the source's patience.
                #expect(follows.isEmpty)
                #expect(try await fixture.job("priority", user: user) == "1")
            case .needsReauth:
                #expect(follows.isEmpty)
                #expect(try await fixture.job("state", user: user) == "needs_reauth")
            default:
                #expect(follows.map(\.isAsked) == [true])
                try await fixture.finish(follows[0].claim)
                #expect(try await fixture.claim(worker).isEmpty)
            }
        }
    }

    @Test func `an enqueue that is rolled back never happened`() async throws {
        try await Fixture.lend { fixture, worker, user async throws in
            try await fixture.finish(try await fixture.run(worker, user: user))
            let due = try await fixture.job("due_at", user: user)
            try await fixture.script("begin; \(enqueue); rollback")
            #expect(try await fixture.job("due_at", user: user) == due)
            #expect(try await fixture.claim(worker).isEmpty)
            try await fixture.script("begin; \(enqueue); commit")
            #expect(try await fixture.claim(worker).count == 1)
        }
    }

    @Test func `full, entity and force reach the next run and no later one`() async throws {
        try await Fixture.lend { fixture, worker, user async throws in
            try await fixture.finish(try await fixture.run(worker, user: user))
            _ = try await fixture.text(
                "select jobrunner.enqueue('acme', 'ann', 'hub.refresh', in_full => true, in_entity => 'video', in_force => true)"
            )
            let asked = try #require(try await fixture.claim(worker).first)
            #expect(asked.isForced)
            #expect(asked.entity == "video")
            #expect(asked.checkpoint(of: "video").isFullRequested)
            #expect(asked.checkpoint(of: "channel").isFullRequested == false)
            try await fixture.commit(
                asked.claim, page(1, isEnd: true, watermark: "w", fullRequest: 1))
            try await fixture.finish(asked.claim)
            let next = try await fixture.nextRun(worker, user: user)
            #expect(next.isForced == false)
            #expect(next.entity == nil)
            #expect(next.isAsked == false)
            #expect(next.checkpoint(of: "video").isFullRequested == false)
        }
    }

    @Test func `a request made during a run reaches the run that follows`() async throws {
        try await Fixture.lend { fixture, worker, user, claim async throws in
            _ = try await fixture.text(
                "select jobrunner.enqueue('acme', 'ann', 'hub.refresh', in_entity => 'channel', in_force => true)"
            )
            try await fixture.finish(claim)
            let next = try #require(try await fixture.claim(worker).first)
            #expect(next.isForced)
            #expect(next.entity == "channel")
        }
    }

    @Test func `requests for the same run add up: all entities win over one, and force stays`()
        async throws
    {
        try await Fixture.lend { fixture, worker, user async throws in
            try await fixture.finish(try await fixture.run(worker, user: user))
            let one = "select jobrunner.enqueue('acme', 'ann', 'hub.refresh', in_entity => 'video')"
            for (requests, entity) in [
                ([one, one], "video"), ([enqueue, one], "null"), ([one, enqueue], "null"),
                ([one, one.replacing("video", with: "channel")], "null"),
            ] {
                for request in requests { _ = try await fixture.text(request) }
                #expect(try await fixture.job("entity_requested", user: user) == entity)
                let claim = try await fixture.claim(worker)[0].claim
                for request in requests { _ = try await fixture.text(request) }
                #expect(try await fixture.job("entity_requested", user: user) == entity)
                try await fixture.finish(claim)
                #expect(try await fixture.job("entity_requested", user: user) == entity)
                try await fixture.finish(try await fixture.claim(worker)[0].claim)
            }
            _ = try await fixture.text(
                "select jobrunner.enqueue('acme', 'ann', 'hub.refresh', in_force => true)")
            _ = try await fixture.text(enqueue)
            let forced = try await fixture.claim(worker)[0]
            #expect(forced.isForced)
            _ = try await fixture.text(enqueue)
            try await fixture.finish(forced.claim)
            #expect(try await fixture.claim(worker)[0].isForced == false)
        }
    }

    @Test func `the source's patience is respected unless forced`() async throws {
        try await Fixture.lend { fixture, worker, user async throws in
            try await fixture.finish(
                try await fixture.run(worker, user: user), .deferred, kind: .rateLimited,
                wait: .seconds(60))
            #expect(try await fixture.text(enqueue) == "deferred")
            #expect(try await fixture.claim(worker).isEmpty)
            #expect(
                try await fixture.text(
                    "select jobrunner.enqueue('acme', 'ann', 'hub.refresh', in_force => true)")
                    == "due")
            #expect(try await fixture.claim(worker).count == 1)
        }
    }

    @Test func `all users of a tenant are asked for at once`() async throws {
        try await Fixture.lend { fixture, worker async throws in
            try await fixture.addTenant("other")
            try await fixture.addUsers(3)
            try await fixture.addUsers(3, tenant: "other")
            try await fixture.given(.notDue())
            #expect(
                try await fixture.int("select jobrunner.enqueue_all('acme', 'hub.refresh')") == 3)
            #expect(Set(try await fixture.claim(worker).map(\.tenantName)) == ["acme"])
        }
    }

    @Test(arguments: [
        ("'nobody', 'ann', 'hub.refresh'", "JR010"), ("'acme', 'nobody', 'hub.refresh'", "JR011"),
        ("'acme', 'ann', 'hub.nothing'", "JR012"),
        ("'acme', 'ann', 'hub.refresh', false, 'nothing'", "JR014"),
    ])
    func `an unknown word is refused by its own code`(arguments: String, code: String) async throws
    {
        try await Fixture.lend { fixture async throws in
            try await fixture.addUser()
            #expect(try await fixture.refusal("select jobrunner.enqueue(\(arguments))") == code)
        }
    }
}

extension Fixture {
    /// Makes the user's waiting job due by the clock and claims it.
    func nextRun(_ worker: Int, user: Int64) async throws -> ClaimedJob {
        try await given(.due(.user(user), for: "1 min"))
        guard let job = try await claim(worker).first(where: { $0.claim.userID == user }) else {
            throw NotClaimed()
        }
        return job
    }
}
