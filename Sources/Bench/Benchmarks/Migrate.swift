import Postgres
import Synchronization

/// 18: whether those who read and write a table notice that it gets a column and an index.
let migrateBenchmark = Benchmark(
    number: 18, name: "migrate",
    sentence:
        "`migrate` adds a column and an index to a table of 1,000,000 rows (short: 200,000), while eight sessions read"
        + " and write it and a ninth keeps it in a transaction of a second, again and again.",
    goals: [
        .figure(
            "longest wait of a reader or writer", "longest, migrate", .atMost, 200, "ms",
            inEachRound: true),
        .figure("statements that failed", "failed statements", .atMost, 0, "", inEachRound: true),
    ],
    measure: measureMigrate)

private let table = "synced.bench_nothing"

private func measureMigrate(_ context: BenchmarkContext) async throws {
    let rows = context.choose(short: 200_000, full: 1_000_000)
    let installation = try await Installation.make(context, files: ["idle": file(columns: 0)])
    let cluster = installation.cluster
    try await installation.addUsers(tenants: 1, each: 100)
    context.say("making \(readable(Double(rows))) records")
    try await cluster.script(
        """
        insert into \(table) (user_id, id, title)
        select 1 + n % 100, n::text, md5(n::text) from generate_series(0, \(rows - 1)) as n;
        """)
    try await cluster.settle(table)
    for round in 1...context.rounds {
        context.say("round \(round) of \(context.rounds)")
        let quiet = try await Traffic(cluster, rows: rows).waits {
            try await Task.sleep(for: .seconds(5))
        }
        let migrating = try await Traffic(cluster, rows: rows).waits {
            try writeFile("\(installation.jobs)/bench/idle.yaml", file(columns: round))
            let began = ContinuousClock.now
            let said = try await installation.command(["migrate"])
            guard said.contains("title\(round)") else {
                throw BenchError("migrate changed nothing: \(said)")
            }
            context.measurements.record("migrate", (ContinuousClock.now - began).seconds, "s")
        }
        for (name, figures) in [("quiet", quiet), ("migrate", migrating)] {
            context.measurements.record("longest, \(name)", figures.times.max() ?? 0, "ms")
            context.measurements.record("p99, \(name)", percentile(figures.times, 0.99) ?? 0, "ms")
            context.measurements.record("failed statements", Double(figures.failed), "")
        }
    }
    context.measurements.remark(
        "Every reader and writer asks for one row by its key, then rests for 5 ms; the ninth reads a row and keeps"
            + " its transaction open for a second. “quiet” is the same without migrate.")
}

/// The job file whose table has so many columns more, each with an index.
private func file(columns: Int) -> String {
    let names = (0...columns).map { $0 == 0 ? "title" : "title\($0)" }
    let fields = names.map { "        \($0): { at: \($0), type: text }\n" }.joined()
    let indexes = names.dropFirst().map { "[\($0)]" }.joined(separator: ", ")
    return idleJob.replacing(
        "        id: { at: id, type: text, required: true }\n",
        with: "        id: { at: id, type: text, required: true }\n" + fields
    ).replacing("mode: overwrite", with: "mode: overwrite\n      indexes: [\(indexes)]")
}

/// Sessions that read and write the table until they are told to stop.
private final class Traffic: Sendable {
    struct Waits: Sendable {
        /// Milliseconds of each statement.
        var times: [Double] = []
        var failed = 0
    }

    private let cluster: Cluster
    private let rows: Int
    private let state = Mutex((isOver: false, waits: Waits()))

    init(_ cluster: Cluster, rows: Int) {
        self.cluster = cluster
        self.rows = rows
    }

    /// How long readers and writers waited for each statement while the body ran.
    func waits(during body: () async throws -> Void) async throws -> Waits {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...8 {
                group.addTask { try await self.ask(isWriting: number % 2 == 0) }
            }
            group.addTask { try await self.holdTransactions() }
            defer { state.withLock { $0.isOver = true } }
            try await body()
            state.withLock { $0.isOver = true }
            try await group.waitForAll()
        }
        return state.withLock { $0.waits }
    }

    private var isOver: Bool { state.withLock { $0.isOver } }

    private func holdTransactions() async throws {
        while !isOver {
            let holder = try await HeldTransaction(
                cluster, running: "select from \(table) limit 1")
            defer { holder.letGo() }
            try await Task.sleep(for: .seconds(1))
            try await holder.release()
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// One reader or writer.
    private func ask(isWriting: Bool) async throws {
        try await cluster.withDatabase { database in
            while !isOver {
                let statement = statement(isWriting: isWriting)
                let began = ContinuousClock.now
                do {
                    try await database.run { _ = try $0.query(statement) }
                    let time = (ContinuousClock.now - began).seconds * 1000
                    state.withLock { $0.waits.times.append(time) }
                } catch is DatabaseError {
                    state.withLock { $0.waits.failed += 1 }
                }
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }

    private func statement(isWriting: Bool) -> Statement {
        let row = Int.random(in: 0..<rows)
        let (user, id) = (Bind.int8(Int64(1 + row % 100)), Bind.text("\(row)"))
        return isWriting
            ? Statement(
                "update \(table) set title = md5(random()::text) where user_id = $1 and id = $2",
                user, id)
            : Statement("select title from \(table) where user_id = $1 and id = $2", user, id)
    }
}
