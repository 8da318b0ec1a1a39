import JSON
import Postgres
import Testing

/// Pushes that the source refuses as a whole, for a row or for their size.
@Suite struct RefusedPushTests {
    private static let later = statusBegin + 1_000_000

    /// The sizes of the pushes from the request after `start` on.
    private func pushes(_ world: World, from start: Int = 0) async throws -> [Int] {
        try await world.source.log().dropFirst(start).filter { $0.text("op") == "records/modify" }
            .compactMap { $0.int("items") }
    }

    private func refuse(_ world: World, _ names: [String]) async throws {
        let list = names.map { "\"\($0)\"" }.joined(separator: ", ")
        try await world.settings("\"refused_records\": [\(list)]")
    }

    @Test(arguments: [["new_00017"], ["new_00001", "new_00064"], ["new_00031", "new_00032"]])
    func `MS22 a row for which the source refuses whole pushes is found, and the others go`(
        _ guilty: [String]
    ) async throws {
        try await withStatuses(0) { world in
            try await world.weAdd(64)
            try await refuse(world, guilty)
            try await world.drain()
            // Two requests a halving and guilty row, and the first: log2 of 64 is 6.
            #expect(try await pushes(world).count <= 2 * 6 * guilty.count + 1)
            let rows = try await world.local()
            let unsent = rows.filter { !$0.value.isSynced }
            #expect(unsent.keys.sorted() == guilty)
            #expect(
                rows.values.filter { $0.error != nil }.allSatisfy { !$0.isSynced }
                    && unsent.values.allSatisfy {
                        $0.error == "BAD_REQUEST: Invalid value in a record"
                    })
            #expect(try await world.remote().count == 64 - guilty.count)
            #expect(try await world.outcomes(userName(1)) == ["partial edits_refused"])
            #expect(try await world.counter("pushed") == 64 - guilty.count)
            #expect(try await world.counter("push_failed") == guilty.count)
            let told = try await world.rows(
                "select record_failures::text as told from jobrunner.checkpoints")
            #expect(told.first?.text("told")?.contains("Invalid value in a record") == true)
        }
    }

    @Test func `a row that was refused for a whole push waits, unless it is edited`() async throws {
        try await withStatuses(0) { world in
            try await world.weAdd(3)
            try await refuse(world, ["new_00002"])
            try await world.drain()
            var start = try await world.requestCount()
            try await world.runAgain()
            #expect(try await pushes(world, from: start) == [])
            // When its pause is over it is sent with the others, and waits twice as long.
            try await world.sql(
                """
                update synced.watched_status
                set push_pause = tstzrange(now() - interval '2 minutes', now() - interval '1 minute')
                where not synced
                """)
            start = try await world.requestCount()
            try await world.runAgain()
            #expect(try await pushes(world, from: start) == [1])
            #expect(
                try await world.value(
                    "select (upper(push_pause) - lower(push_pause))::text from synced.watched_status where not synced"
                ) == "00:02:00")
            try await world.weSave(Save("new_00002", "skipped", Self.later))
            try await refuse(world, [])
            start = try await world.requestCount()
            try await world.runAgain()
            #expect(try await pushes(world, from: start) == [1])
            #expect(try await world.disagreements() == [])
            #expect(
                try await world.value(
                    "select count(*)::text from synced.watched_status where push_pause is null and push_error is null"
                ) == "3")
        }
    }

    @Test func `a source that takes fewer rows at once is sent fewer for the rest of the run`()
        async throws
    {
        try await withStatuses(0) { world in
            try await world.weAdd(300)
            try await world.settings("\"operations_max\": 50")
            try await world.drain()
            #expect(try await pushes(world) == [200, 100, 50, 50, 50, 50, 50, 50])
            #expect(try await world.disagreements() == [])
            #expect(try await world.local().values.allSatisfy { $0.error == nil })
            #expect(try await world.counter("push_failed") == 0)
        }
    }

    @Test func `a source that refuses everything fails the run, and is not asked row by row`()
        async throws
    {
        try await withStatuses(0) { world in
            try await world.weAdd(200)
            try await world.source.fault(
                #"{"kind": "cloudkit_error", "code": "BAD_REQUEST", "reason": "no such type", "op": "records/modify", "times": 0}"#
            )
            try await world.drain()
            #expect(try await world.outcomes(userName(1)) == ["failed bad_request"])
            #expect(try await pushes(world).count < 60)
            #expect(try await world.local().values.count { $0.error != nil } == 8)
            #expect(try await world.local().values.allSatisfy { !$0.isSynced })
        }
    }

    @Test(arguments: [
        ("ACCESS_DENIED", 403), ("CONFLICT", 409), ("QUOTA_EXCEEDED", 413),
        ("VALIDATING_REFERENCE_ERROR", 412),
    ]) func `what no smaller push would cure is asked once`(_ code: String, _ status: Int)
        async throws
    {
        try await withStatuses(0) { world in
            try await world.weAdd(4)
            try await world.source.fault(
                #"{"kind": "cloudkit_error", "code": "\#(code)", "status": \#(status), "op": "records/modify", "times": 0}"#
            )
            try await world.drain()
            #expect(try await pushes(world) == [4])
            #expect(try await world.outcomes(userName(1)) == ["failed \(code.lowercased())"])
            #expect(try await world.local().values.allSatisfy { !$0.isSynced && $0.error == nil })
        }
    }

    @Test func `a wait that the source says of one record is kept for it, and the job is due then`()
        async throws
    {
        try await withStatuses(0) { world in
            try await world.weAdd(3)
            try await world.source.fault(
                #"{"kind": "record_error", "code": "TRY_AGAIN_LATER", "retry_after": 90, "op": "records/modify", "record_name": "new_00002", "times": 1}"#
            )
            try await world.drain()
            #expect(try await world.outcomes(userName(1)) == ["partial rate_limited"])
            #expect(
                try await world.value(
                    "select upper(push_pause) - lower(push_pause) from synced.watched_status where not synced"
                ) == "00:01:30")
            #expect(
                try await world.value(
                    "select due_at - last_run_at from jobrunner.jobs where name = 'metube.status'")
                    == "00:01:30")
            // Until then the others go, and it is left alone.
            try await world.weSave(Save("new_00001", "skipped", Self.later))
            try await world.runAgain()
            #expect(try await pushes(world) == [3, 1])
            try await world.sql(
                "update synced.watched_status set push_pause = tstzrange(now() - interval '2 minutes', now() - interval '1 minute') where not synced"
            )
            try await world.runAgain()
            #expect(try await pushes(world) == [3, 1, 1])
            #expect(try await world.disagreements() == [])
        }
    }

    @Test func `a conflict whose record can't be looked up is told, and waits`() async throws {
        try await withStatuses(2) { world in
            try await world.drain()
            try await world.weSave(Save(video(1), "skipped", Self.later))
            try await world.deviceSaves(
                Save(video(1), "watched", Self.later - 1),
                later: #""after_requests": 1, "after_op": "changes/zone""#)
            try await world.source.fault(
                #"{"kind": "record_error", "code": "ACCESS_DENIED", "op": "records/lookup", "times": 1}"#
            )
            try await world.runAgain()
            #expect(try await world.outcomes(userName(1)).last == "partial edits_refused")
            #expect(
                try await world.texts("select trouble from jobrunner.jobs_in_trouble")
                    == ["edits_refused"])
            try await world.runAgain()
            #expect(try await world.disagreements() == [])
            #expect(try await world.texts("select trouble from jobrunner.jobs_in_trouble") == [])
        }
    }
}
