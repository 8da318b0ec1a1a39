import JSON
import Postgres
import Testing
import TestSupport

/// MeTube's statuses: when the job runs, in which order, and what it makes sure of first.
@Suite struct StatusScheduleTests {
    @Test func `MS1 a job is due when it never ran or five minutes after, and force ignores that`()
        async throws
    {
        try await withStatuses { world in
            #expect(try await world.value("select due_at <= now() from jobrunner.jobs") == "true")
            try await world.drain()
            let first = try await world.requestCount()
            #expect(
                try await world.value(
                    """
                    select due_at > now() and due_at <= now() + interval '5 minutes'
                    from jobrunner.jobs
                    """) == "true")
            try await world.drain()
            #expect(try await world.requestCount() == first)
            #expect(try await world.enqueue(userName(1), force: true) == "due")
            try await world.drain()
            #expect(try await world.story(from: first) == ["changes/zone"])
            try await world.sql("update jobrunner.jobs set due_at = due_at - interval '5 minutes'")
            try await world.drain()
            #expect(try await world.story(from: first) == ["changes/zone", "changes/zone"])
        }
    }

    @Test func `MS4 the zone is made sure of, then pulled, then pushed to, then it is stamped`()
        async throws
    {
        try await withStatuses(250) { world in
            try await world.weSave(Save("mine", "watched", statusBegin))
            try await world.drain()
            #expect(
                try await world.calls() == [
                    "users/caller", "zones/lookup", "changes/zone", "changes/zone",
                    "records/modify",
                ])
            #expect(try await world.job(userName(1))["last_success_at"]?.string != nil)
            #expect(try await world.disagreements() == [])
        }
    }

    @Test func `MS5 the zone is looked up once, made if it is missing, and remembered`()
        async throws
    {
        try await withStatuses(0) { world in
            try await world.deleteZone()
            try await world.drain()
            let prefix = ["users/caller", "zones/lookup", "zones/modify", "changes/zone"]
            #expect(try await world.calls() == prefix)
            #expect(try await world.unfinished() == [])
            try await world.runAgain()
            #expect(try await world.calls() == prefix + ["changes/zone"])
        }
    }

    @Test(arguments: ["zone", "EXISTS", "CONFLICT"])
    func `MS5 a zone that somebody else has just made is as good as made`(_ answer: String)
        async throws
    {
        try await withStatuses(3) { world in
            try await world.settings(#""existing_zone": "\#(answer)""#)
            try await world.source.fault(
                #"{"kind": "zone_error", "code": "ZONE_NOT_FOUND", "op": "zones/lookup"}"#)
            try await world.drain()
            #expect(try await world.calls().contains("zones/modify"))
            #expect(try await world.disagreements() == [])
        }
    }
}
