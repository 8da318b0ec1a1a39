import Postgres
import JobQueue

/// Standing jobs for the benchmarks of the queue: tenants `t1`, `t2`, … with the same number of users.
extension Installation {
    /// Adds tenants and their users, whose keys are `u1`, `u2`, …; they have no job yet.
    func addUsers(tenants: Int, each: Int, prefix: String = "t") async throws {
        try await cluster.script(
            """
            insert into jobrunner.tenants (name)
            select '\(prefix)' || n from generate_series(1, \(tenants)) as n;
            insert into jobrunner.users (tenant_id, key)
            select t.id, 'u' || n
            from jobrunner.tenants as t
            cross join generate_series(1, \(each)) as n
            where t.name ~ '^\(prefix)[0-9]+$'
            order by t.id, n;
            analyze jobrunner.users;
            """)
    }

    /// Gives every user of the tenants its job, by the verb.
    func giveJob(_ job: String = "bench.idle", prefix: String = "t") async throws {
        try await cluster.script(
            """
            select jobrunner.give_job(t.name, '\(job)')
            from jobrunner.tenants as t
            where t.name ~ '^\(prefix)[0-9]+$'
            order by t.id;
            """)
    }
}

/// SQL of the folder `bench`, without its comment lines.
func benchmarkSQL(_ name: String) throws -> String {
    try readFile("bench/\(name).sql").split(separator: "\n")
        .filter { !$0.hasPrefix("--") }
        .joined(separator: "\n")
}
