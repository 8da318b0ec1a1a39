import Foundation
import Postgres
import Synchronization
import Testing

/// Twenty writers whose transactions stay open while others commit, some undone, some killed, and readers at once.
///
/// `JOBRUNNER_CHANGES_SECONDS` makes it longer.
@Suite("Changes under load")
struct ChangeLoadTests {
    @Test func `no change is missed and no number given twice, whatever writers and readers do`()
        async throws
    {
        let seconds =
            ProcessInfo.processInfo.environment["JOBRUNNER_CHANGES_SECONDS"].flatMap { Int($0) }
            ?? 3
        try await Told.lend(lanes: 4) { world async throws in
            let reads = Reads()
            let end = ContinuousClock.now + .seconds(seconds)
            let mirrors = try await withThrowingTaskGroup(of: Mirror?.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        while !reads.isOver {
                            try await write(world, reads, mayWait: .now + .seconds(1) < end)
                        }
                        return nil
                    }
                }
                for start in [Mirror(), Mirror(), Mirror(user: "bob"), Mirror(of: "globex")] {
                    group.addTask {
                        var mirror = start
                        while !reads.isOver {
                            try await follow(&mirror, world)
                            reads.add()
                        }
                        return mirror
                    }
                }
                try await eventually("the time is over") { .now >= end }
                reads.end()
                return try await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
            }

            let entries = try await world.texts(
                "select concat_ws(' ', count(*), count(distinct number), count(number)) from jobrunner.changes"
            )
            for var mirror in mirrors {
                // Nothing changes any more, so that one more answer holds all that is left.
                try await mirror.catchUp(world)
                let all = try await world.recipes(of: mirror.tenant)
                let own = all.filter { mirror.user == nil || $0.hasPrefix("bob ") }
                #expect(mirror.contents == own && !own.isEmpty)
                #expect(mirror.beginnings == 1)
            }
            let counts = try await world.texts(
                "select concat_ws(' ', count(*), count(distinct number)) from jobrunner.changes")
            let parts = try #require(counts.first).split(separator: " ")
            #expect(parts[0] == parts[1], "\(entries) \(counts)")
            #expect(Int(parts[0]) ?? 0 > 200)
        }
    }

    /// One transaction that changes some keys nobody else has locked, and is ended once so many answers were read.
    private func write(_ world: Told, _ reads: Reads, mayWait: Bool) async throws {
        let transaction = try await OpenTransaction(
            world.url,
            """
            with mine as materialized (
              select c.u, c.k
              from (
                select distinct floor(1 + random() * 3)::bigint as u, 'k' || floor(random() * 2000) as k
                from generate_series(1, 8)
              ) as c
              where pg_try_advisory_xact_lock(hashtextextended(c.u || c.k, 7))
            ), gone as (
              delete from synced.recipe as r using mine as m
              where r.user_id = m.u and r.recipe_id = m.k and random() < 0.5
              returning r.user_id, r.recipe_id
            )
            insert into synced.recipe (user_id, recipe_id, body)
            select m.u, m.k, to_jsonb(random()) from mine as m
            where (m.u, m.k) not in (select g.user_id, g.recipe_id from gone as g)
            on conflict (user_id, recipe_id) do update set body = excluded.body
            """)
        if mayWait { await reads.wait(for: [0, 1, 3, 10, 40, 200].randomElement() ?? 0) }
        switch Int.random(in: 0..<10) {
        case 0: try await transaction.rollBack()
        case 1:
            let pid = try await transaction.query(.unprepared("select pg_backend_pid()")).only()
                .int(0)
            try await world.sql("select pg_terminate_backend($1::integer)", .int(pid))
            try? await transaction.commit()
        default: try await transaction.commit()
        }
    }

    /// One answer: on its own, or in a transaction that commits or, like one in four, does not.
    private func follow(_ mirror: inout Mirror, _ world: Told) async throws {
        let limit = [1, 7, 50].randomElement()
        guard Int.random(in: 0..<4) == 0 else {
            try await mirror.read(world, limit: limit)
            return
        }
        let before = mirror
        let level = ["read committed", "repeatable read", "serializable"].randomElement() ?? ""
        let reader = try await OpenTransaction(
            world.url, "set transaction isolation level \(level)")
        do {
            for _ in 1...3 {
                try mirror.hear(try await reader.query(mirror.question(limit: limit)))
            }
            guard Bool.random() else {
                try await reader.rollBack()
                mirror = before
                return
            }
            try await reader.commit()
        } catch let error as DatabaseError where error.sqlstate == "40001" {
            try? await reader.rollBack()
            mirror = before
        }
    }
}

/// Counts answers, and tells those who wait for so many more of them.
private final class Reads: Sendable {
    private struct State {
        var count = 0
        var isOver = false
        var waiting: [(until: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    /// Whether no more are read.
    var isOver: Bool { state.withLock { $0.isOver } }

    func add() { release { $0.count += 1 } }

    func end() { release { $0.isOver = true } }

    func wait(for more: Int) async {
        await withCheckedContinuation { continuation in
            release { $0.waiting.append(($0.count + more, continuation)) }
        }
    }

    private func release(_ change: (inout State) -> Void) {
        let due = state.withLock { state in
            change(&state)
            let due = state.waiting.filter { state.isOver || $0.until <= state.count }
            state.waiting.removeAll { state.isOver || $0.until <= state.count }
            return due
        }
        for one in due { one.continuation.resume() }
    }
}
