import Glibc
public import Postgres
import Schema
import Synchronization

/// A database of one test's own.
///
/// It is dropped with its cluster, or by a later test process.
public struct TestDatabase: Sendable {
    /// `jr_test_<unix seconds>_<random>`.
    public let name: String
    /// The connection string of the role that owns it and nothing else.
    public let url: String
    /// That of a superuser, for instruments: extensions that measure, and the server's settings.
    public let administratorURL: String

    /// Creates a database, as a clone of the named template when given.
    public static func make(
        template: String? = nil, on cluster: TestCluster = .shared
    ) async throws -> TestDatabase {
        try await make(on: cluster, prefix: "jr_test", template: template)
    }

    static func make(
        on cluster: TestCluster, prefix: String, template: String? = nil
    ) async throws -> TestDatabase {
        let name = "\(prefix)_\(time(nil))_\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        let source = template ?? "template1"
        try await cluster.administration.run { session in
            try dropAbandonedOnce(session)
            try createDatabase(
                session, "create database \"\(name)\" template \"\(source)\" owner jobrunner")
            let groups = ["worker", "operator", "reader", "application"]
                .map { "\(TestCluster.roles)_\($0)" }.joined(separator: ", ")
            try session.script(
                """
                revoke connect, temporary on database "\(name)" from public;
                grant connect on database "\(name)" to \(groups)
                """)
        }
        return TestDatabase(
            name: name, url: connectionString(cluster.url, database: name),
            administratorURL: connectionString(cluster.administratorURL, database: name))
    }

    /// The same database, also on the server that may take its server's place.
    public func reachable(also standby: TestCluster) -> TestDatabase {
        func host(_ url: String) -> Substring {
            url[(url.firstIndex(of: "@") ?? url.startIndex)...].dropFirst().prefix { $0 != "/" }
        }
        let hosts = "\(host(url)),\(host(standby.url))"
        let both = url.replacing(host(url), with: hosts, maxReplacements: 1)
        return TestDatabase(
            name: name, url: both + "?target_session_attrs=read-write",
            administratorURL: administratorURL)
    }

    /// Makes the empty database beside it that `jobrunner test` fills.
    public static func makeScratch(beside url: String) async throws {
        let name = url.split(separator: "/").last.map(String.init) ?? ""
        try await TestCluster.shared.administration.run { session in
            try createDatabase(
                session, "create database \"\(name)_scratch\" template template1 owner jobrunner")
        }
    }

    /// Runs statements with the rights of a superuser.
    public func administer(_ script: String) async throws {
        try await Database.withSessions(try instruments()) {
            try await $0.run { try $0.script(script) }
        }
    }

    /// The only value of a statement that takes the rights of a superuser; nil for null.
    public func administratorText(_ text: String, _ binds: Bind...) async throws -> String? {
        let statement = Statement(text, binds: binds, cached: false)
        return try await Database.withSessions(try instruments()) {
            try await $0.run { try $0.query(statement).only().optionalText(0) }
        }
    }

    private func instruments() throws -> DatabaseConfiguration {
        try DatabaseConfiguration(
            conninfo: administratorURL, applicationName: "jobrunner-test-instrument", lanes: 1)
    }

    /// The connection string of the role by which `serve` looks.
    public var readerURL: String { TestCluster.reader(of: url) }

    /// Settings for a pool over it.
    public func configuration(lanes: Int = 1) throws -> DatabaseConfiguration {
        try DatabaseConfiguration(
            conninfo: url, applicationName: "jobrunner-test", lanes: lanes)
    }
}

/// Lends a pool over a database of the test's own and closes it afterwards.
public func withTestDatabase<R>(
    template: String? = nil, lanes: Int = 2, _ body: (Database) async throws -> R
) async throws -> R {
    try await Database.withSessions(
        try await TestDatabase.make(template: template).configuration(lanes: lanes), body)
}

extension TestCluster {
    /// A template with the schema and no job file, and with what `script` puts into it; made once per process.
    public func schemaTemplate(
        named name: String = "schema", script: String = ""
    ) async throws -> String {
        try await template(named: name) { configuration in
            try await Database.withSessions(configuration) { database in
                _ = try await Migrator(database: database).migrate(
                    jobFiles: [], rolePrefix: TestCluster.roles)
                try await database.run { try $0.script(script) }
            }
        }
    }
}

extension Database {
    /// Puts another body in the place of one of the schema's functions.
    public func replaceFunction(_ name: String, with body: String) async throws {
        try await run { session in
            let read = Statement(
                """
                select pg_get_function_identity_arguments(oid), pg_get_function_result(oid)
                from pg_proc where proname = $1
                """, .text(name))
            let row = try session.query(read).only()
            let (arguments, result) = (try row.text(0), try row.text(1))
            try session.script(
                """
                alter function jobrunner.\(name)(\(arguments)) rename to away;
                create function jobrunner.\(name)(\(arguments)) returns \(result) language plpgsql security definer as
                $$ begin \(body) end $$
                """)
        }
    }
}

/// A template can't be cloned while somebody is connected, be it a session that is just ending or
/// a clone by another process, so try for a while.
private func createDatabase(_ session: Session, _ sql: String) throws {
    let end = ContinuousClock.now + hangLimit
    while true {
        do {
            _ = try session.query(.unprepared(sql))
            return
        } catch let error as DatabaseError where error.sqlstate == "55006" && .now < end {
            usleep(20_000)  // this is the pool's own thread
        }
    }
}

/// Drops what test processes left on a long-lived server, if over an hour old and unused.
private func dropAbandonedOnce(_ session: Session) throws {
    guard isFirstUse.exchange(false, ordering: .relaxed) else { return }
    let abandoned = try session.query(
        Statement(
            #"""
            select d.datname as name from pg_database as d
            where d.datname ~ '^jr_(test|template_.*)_\d+_[0-9a-z]+(_scratch)?$'
            and substring(d.datname from '_(\d+)_[0-9a-z]+(?:_scratch)?$')::bigint
                < extract(epoch from now()) - 3600
            and not exists (select from pg_stat_activity as a where a.datname = d.datname)
            """#))
    for database in abandoned {
        // Another process may be dropping it as well.
        _ = try? session.query(.unprepared("drop database \"\(database.text("name"))\""))
    }
}

private let isFirstUse = Atomic<Bool>(true)

/// The cluster's connection string, URI or keywords, for another database.
private func connectionString(_ url: String, database: String) -> String {
    guard let scheme = url.firstRange(of: "://") else { return url + " dbname='\(database)'" }
    let query = url.firstIndex(of: "?").map { url[$0...] } ?? ""
    let base = url[..<(url.firstIndex(of: "?") ?? url.endIndex)]
    let authority = base[scheme.upperBound...].prefix { $0 != "/" }
    return url[..<scheme.upperBound] + authority + "/" + database + query
}
