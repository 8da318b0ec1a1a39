import FakeSource
import Foundation
import JSON
import Testing

/// A worker whose machine tells another time than the database's; only its own process is lied to.
@Suite(.timeLimit(.minutes(10)))
struct WrongClockTests {
    private static let users = (1...6).map { "u\($0)" }
    private static let quick = "u.key = any ('{\(users.joined(separator: ","))}')"

    /// With each hour a job's deadline of three seconds would be over, or never come.
    private func prepare(_ installation: Installation, _ source: FakeSourceServer) async throws {
        _ = try installation.write(
            "jobs/shop/items.yaml",
            itemsFile(port: source.port).replacingOccurrences(
                of: "deadline: 30s", with: "deadline: 3s"), mode: 0o644)
        try await installation.ok("migrate")
        for user in Self.users + ["later"] {
            try await installation.ok("user add \(user) --tenant acme --set demo_id=user-000001")
        }
        for user in ["slow", "asked"] {
            try await installation.command(
                source, "users", #"{"id": "\#(user)", "videos": 60, "registered": false}"#)
            try await installation.ok("user add \(user) --tenant acme --set demo_id=\(user)")
        }
        try await installation.command(
            source, "faults",
            #"{"kind": "drip", "user": "slow", "bytes": 1, "every_ms": 300, "times": 0}"#)
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        let soon = formatter.string(from: Date().addingTimeInterval(600))
        try await installation.command(
            source, "faults",
            #"{"kind": "status", "status": 429, "user": "asked", "times": 0, "headers": {"Retry-After": "\#(soon)"}}"#
        )
        try await installation.given(.notDue(.key("later"), for: "30 min"))
    }

    private func has(_ count: Int, _ condition: String, _ installation: Installation) async throws
        -> Bool
    {
        try await installation.value(
            """
            select count(*) >= \(count) from jobrunner.runs as r
            join jobrunner.users as u on u.id = r.user_id where \(condition)
            """) == "true"
    }

    /// All that is due is done, a deadline holds, and a date is told by the database's clock.
    private func expectWork(_ installation: Installation) async throws {
        try await eventually("due jobs are complete") {
            try await has(6, "\(Self.quick) and r.outcome = 'complete'", installation)
        }
        try await eventually("the slow one meets its deadline") {
            try await has(1, "u.key = 'slow' and r.error_kind = 'deadline'", installation)
        }
        try await eventually("the one that is asked for patience is put off") {
            try await has(1, "u.key = 'asked' and r.outcome = 'deferred'", installation)
        }
        #expect(
            try await installation.value(
                """
                select max(r.ended_at - r.started_at) between '2 seconds' and '15 seconds' from jobrunner.runs as r
                where r.error_kind = 'deadline'
                """) == "true")
        // Ten minutes and up to ten seconds of jitter, less what the test took until then.
        #expect(
            try await installation.value(
                """
                select j.deferred_until - now() between '9 minutes' and '11 minutes' from jobrunner.jobs as j
                join jobrunner.users as u on u.id = j.user_id where u.key = 'asked'
                """) == "true")
    }

    /// Neither of two workers takes the other for dead, over several leases.
    private func expectPeace(_ installation: Installation) async throws {
        for _ in 1...3 {
            let began = try await installation.value("now()")
            try await installation.given(.due(.keys(Self.users).and(.waiting)))
            try await eventually("a lease has passed, and all has run") {
                try await installation.value(
                    """
                    select (select count(*) from jobrunner.workers
                        where heartbeat_at > '\(began)'::timestamptz + interval '2 seconds') = 2
                      and bool_and(j.worker_id is null and j.due_at > now() and j.last_run_at > '\(began)')
                    from jobrunner.jobs as j join jobrunner.users as u on u.id = j.user_id where \(Self.quick)
                    """) == "true"
            }
        }
        #expect(
            try await installation.value(
                """
                select count(*) from jobrunner.workers
                where ended_at is null and heartbeat_at between now() - interval '2 s' and now()
                """) == "2")
    }

    private func expectNothingLost(_ installation: Installation) async throws {
        #expect(
            try await installation.value(
                "select string_agg(distinct end_reason, ' ') from jobrunner.workers") == "stopped")
        let bad = "r.error_kind = 'crashed' or \(Self.quick) and r.outcome <> 'complete'"
        #expect(try await !has(1, bad, installation))
        #expect(
            try await installation.value(
                """
                select j.fence from jobrunner.jobs as j
                join jobrunner.users as u on u.id = j.user_id where u.key = 'later'
                """) == "0")
    }

    @Test(arguments: ["3600", "-3600"])
    func `a worker whose clock is an hour off does as one whose clock is right`(
        _ shift: String
    ) async throws {
        try await Installation.withSource { installation, source in
            try await prepare(installation, source)
            let wrong = try installation.start(
                "worker --lease 2s",
                ["LD_PRELOAD": try installation.library("clock"), "CLOCK_SHIFT": shift])
            try await expectWork(installation)
            let right = try installation.start("worker --lease 2s")
            try await expectPeace(installation)
            for program in [wrong, right] {
                kill(program.process.processIdentifier, SIGTERM)
                #expect(try await program.end().code == 0)
            }
            try await expectNothingLost(installation)
        }
    }
}
