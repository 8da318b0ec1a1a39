import Postgres
import JobQueue
import Testing

/// A user of `hub.refresh`, due in half an hour, which waits 2.5 s for the network and counts only
/// the change from lost to restored; and 1 s for a wake-up.
@Suite("Triggers")
struct TriggerTests {
    private static func lend(_ body: (Fixture, Int64) async throws -> Void) async throws {
        try await Fixture.lend { fixture async throws in
            let user = try await fixture.addUser()
            try await fixture.given(
                .triggers(
                    #"{"event": "network_restored", "debounce_ms": 2500, "cancel_on": "network_lost"}, {"event": "woken", "debounce_ms": 1000}, {"event": "unlocked", "debounce_ms": 60000, "at_most_ms": 120000}"#,
                    of: "hub.refresh"), .notDue(for: "30 min"))
            try await body(fixture, user)
        }
    }

    @Test func `ST24 only the change from offline to online counts`() async throws {
        try await Self.lend { fixture, user async throws in
            #expect(try await fixture.event("network_restored") == ["not_armed"])
            #expect(try await fixture.isFarOff(user))
            #expect(try await fixture.event("network_lost") == ["armed"])
            #expect(try await fixture.event("network_lost") == ["armed"])
            #expect(try await fixture.event("network_restored") == ["due"])
            #expect(
                try await fixture.job("due_at - now() between '1 s' and '2.5 s'", user: user)
                    == "true")
            // Online stays online.
            try await fixture.given(.untriggered())
            #expect(try await fixture.event("network_restored") == ["not_armed"])
            #expect(try await fixture.isFarOff(user))
        }
    }

    @Test func `ST25 an event within the debounce begins it anew, and dropping again calls it off`()
        async throws
    {
        try await Self.lend { fixture, user async throws in
            #expect(try await fixture.event("woken") == ["due"])
            try await fixture.given(.notDue(for: "10 ms"))
            #expect(try await fixture.event("woken") == ["due"])
            #expect(
                try await fixture.job("due_at > now() + interval '500 ms'", user: user) == "true")
            #expect(
                try await fixture.job("untriggered_due_at > now() + interval '20 min'", user: user)
                    == "true")
            #expect(try await fixture.event("network_lost") == ["called_off"])
            #expect(try await fixture.isFarOff(user))
            #expect(try await fixture.job("untriggered_due_at", user: user) == "null")
        }
    }

    @Test func `a debounce that begins anew again and again waits no longer than it may`()
        async throws
    {
        try await Self.lend { fixture, user async throws in
            let due = "due_at between now() + interval '3 s' and now() + interval '5 s'"
            #expect(try await fixture.event("unlocked") == ["due"])
            #expect(
                try await fixture.job("due_at > now() + interval '55 s'", user: user) == "true")
            // The first of these events came 116 seconds ago.
            try await fixture.given(.time(.event, in: "-116 s"))
            #expect(try await fixture.event("unlocked") == ["due"])
            #expect(try await fixture.job(due, user: user) == "true")
            // What was called off waits anew.
            try await fixture.given(.untriggered())
            #expect(try await fixture.event("unlocked") == ["due"])
            #expect(
                try await fixture.job("due_at > now() + interval '55 s'", user: user) == "true")
        }
    }

    @Test func `ST25 flapping gives one run`() async throws {
        try await Self.lend { fixture, user async throws in
            for _ in 1...5 {
                _ = try await fixture.event("network_lost")
                _ = try await fixture.event("network_restored")
            }
            let worker = try await fixture.addWorker()
            #expect(try await fixture.claim(worker).isEmpty)
            try await fixture.given(.due())
            let claimed = try await fixture.claim(worker)
            #expect(claimed.count == 1)
            #expect(try await fixture.job("untriggered_due_at", user: user) == "null")
            for claim in claimed { try await fixture.finish(claim.claim) }
            #expect(try await fixture.claim(worker).isEmpty)
        }
    }

    @Test func `ST26 beside a run it asks for one more, which has a deadline like any other`()
        async throws
    {
        try await Self.lend { fixture, user async throws in
            let worker = try await fixture.addWorker()
            let claim = try await fixture.run(worker, user: user)
            #expect(try await fixture.event("woken") == ["follows_running"])
            #expect(try await fixture.event("woken") == ["follows_running"])
            #expect(try await fixture.claim(worker).isEmpty)
            try await fixture.finish(claim)
            let again = try await fixture.claim(worker)
            #expect(again.map(\.deadline) == [.seconds(300)])
        }
    }

    @Test func `a job that can't run says why, and one that is due already stays so`() async throws
    {
        try await Self.lend { fixture, user async throws in
            _ = try await fixture.int("select jobrunner.pause_jobs('acme', 'ann', 'hub.refresh')")
            #expect(try await fixture.event("woken") == ["paused"])
            _ = try await fixture.int("select jobrunner.resume_jobs('acme', 'ann', 'hub.refresh')")
            try await fixture.given(.untriggered(), .due(for: "1 h"))
            #expect(try await fixture.event("woken") == ["due"])
            #expect(
                try await fixture.job("due_at < now() - interval '50 min'", user: user) == "true")
            try await fixture.given(.deferred())
            #expect(try await fixture.event("woken") == ["deferred"])
            #expect(
                try await fixture.job("due_at > now() + interval '50 min'", user: user) == "true")
            #expect(try await fixture.event("unheard_of") == [])
        }
    }

    @Test func `an enqueue in the debounce stays when the trigger is called off`() async throws {
        try await Self.lend { fixture, user async throws in
            _ = try await fixture.event("woken")
            _ = try await fixture.texts("select jobrunner.enqueue('acme', 'ann', 'hub.refresh')")
            #expect(try await fixture.event("network_lost") == ["armed"])
            #expect(try await fixture.job("due_at <= now()", user: user) == "true")
        }
    }
}

extension Fixture {
    fileprivate func event(_ event: String) async throws -> [String] {
        try await queue.triggerEvent(event, tenant: "acme", user: "ann").map(\.answer)
    }

    fileprivate func isFarOff(_ user: Int64) async throws -> Bool {
        try await job("due_at > now() + interval '20 min'", user: user) == "true"
    }
}
