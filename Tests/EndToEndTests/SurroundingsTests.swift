import FakeSource
import Foundation
import Glibc
import Postgres
import Testing

/// What an operator's surroundings do to a worker at work: it goes on by itself when they are as they were.
@Suite(.timeLimit(.minutes(10))) struct SurroundingsTests {
    /// Waits until so many runs have ended, in the database at a connection string.
    private func waitForRuns(_ count: Int, _ database: Database) async throws {
        try await eventually("\(count) runs have ended") {
            try await database.run { session in
                try session.query(.unprepared("select count(*) from jobrunner.runs")).only().int(0)
            } >= count
        }
    }

    /// A full pass writes its run, whatever has changed.
    private func ask(_ database: Database) async throws {
        try await database.run { session in
            try session.script(
                "select jobrunner.enqueue('acme', 'ann', 'demo.items', in_full => true)")
        }
    }

    private func stop(_ program: RunningProgram) async throws -> [String] {
        kill(program.process.processIdentifier, SIGTERM)
        let ran = try await program.end()
        #expect(ran.code == 0, "\(ran.errors)")
        return ran.errorLines
    }

    /// No word in the connection string asks for a primary.
    @Test
    func `a worker whose address led to a standby for a while works when it leads to the primary`()
        async throws
    {
        let primary = try TestCluster.start()
        let standby = try primary.standby()
        let ports = [primary, standby].map { URLComponents(string: $0.url)?.port ?? 0 }
        let relay = try SwitchingRelay(to: primary.url)
        let database = Database(
            try DatabaseConfiguration(conninfo: primary.url, applicationName: "test", lanes: 1))
        try await Installation.withSource { installation, _ in
            let direct = ["DATABASE_URL": primary.url]
            for line in [
                "migrate", "tenant add acme --job demo.items",
                "user add ann --tenant acme --set demo_id=user-000001",
            ] { #expect(try await installation.run(line, direct).code == 0) }
            let program = try installation.start("worker", ["DATABASE_URL": relay.url])
            try await waitForRuns(1, database)
            relay.set(.leads(to: ports[1]))
            relay.cut()
            try await eventually("the worker is told that it meets a standby") {
                try program.errorsSoFar().contains("database lost")
            }
            // Commands that only look take what there is.
            let reading = try await installation.run("status", ["DATABASE_URL": relay.url])
            #expect(reading.code == 0, "\(reading.errors)")
            relay.set(.leads(to: ports[0]))
            try await ask(database)
            try await waitForRuns(2, database)
            _ = try await stop(program)
        }
        await database.close()
        try standby.stop()
        try primary.stop()
    }

    /// Where a password may stand that is rotated.
    enum Place: CaseIterable { case file, credential, settings }

    @Test(arguments: Place.allCases)
    func `a worker whose login is not valid any more reads its connection string anew`(
        _ place: Place
    ) async throws {
        try await Installation.withSource { installation, _ in
            let (old, new) = (
                try SwitchingRelay(to: installation.url), try SwitchingRelay(to: installation.url)
            )
            func write(_ url: String) throws -> String {
                switch place {
                case .file, .credential: try installation.write("database_url", url + "\n")
                case .settings: try installation.write("database_url", "DATABASE_URL=\(url)\n")
                }
            }
            let path = try write(old.url)
            let changes =
                switch place {
                case .file: ["DATABASE_URL": "", "DATABASE_URL_FILE": path]
                case .credential:
                    ["DATABASE_URL": "", "CREDENTIALS_DIRECTORY": installation.folder.path]
                case .settings: ["DATABASE_URL": "", "JOBRUNNER_SETTINGS": path]
                }
            let program = try installation.start("worker", changes)
            try await waitForRuns(1, installation.pool)
            old.set(.refuses("28P01"))
            old.cut()
            try await eventually("the worker is told that it is not let in") {
                try program.errorsSoFar().contains("28P01")
            }
            _ = try write(new.url)
            try await ask(installation.pool)
            try await waitForRuns(2, installation.pool)
            let errors = try await stop(program)
            #expect(errors.contains { $0.contains("database back") })
        }
    }

    @Test func `a login that is refused at the start ends the worker with its exit code`()
        async throws
    {
        try await Installation.with { installation in
            let relay = try SwitchingRelay(to: installation.url, .refuses("28P01"))
            let ran = try await installation.run("worker", ["DATABASE_URL": relay.url])
            #expect(ran.code == 69)
            #expect(ran.errors.contains("28P01"))
        }
    }

    /// Where libpq reads its list of servers.
    enum ListPlace: CaseIterable { case url, environment, service }

    @Test(arguments: ListPlace.allCases)
    func `a command reaches the second server behind one that is silent`(_ place: ListPlace)
        async throws
    {
        try await Installation.with { installation in
            let silent = try SwitchingRelay(to: installation.url, .silent)
            let parts = try #require(URLComponents(string: installation.url))
            let ports = "\(silent.port),\(parts.port ?? 0)"
            let database = String(parts.path.dropFirst())
            var changes: [String: String]
            switch place {
            case .url:
                let url = connectionString(
                    installation.url, servers: [silent.port, parts.port ?? 0])
                changes = ["DATABASE_URL": url + "?connect_timeout=1"]
            case .environment:
                changes = [
                    "DATABASE_URL": "", "PGHOST": "127.0.0.1,127.0.0.1", "PGPORT": ports,
                    "PGCONNECT_TIMEOUT": "1", "PGDATABASE": database,
                ]
                changes["PGUSER"] = parts.user
                changes["PGPASSWORD"] = parts.password
            case .service:
                let lines = [
                    "[own]", "host=127.0.0.1,127.0.0.1", "port=\(ports)", "connect_timeout=1",
                    "dbname=\(database)", "user=\(parts.user ?? "")",
                ]
                let password = parts.password.map { ["password=\($0)"] } ?? []
                let path = try installation.write(
                    "services", (lines + password).joined(separator: "\n") + "\n")
                changes = ["DATABASE_URL": "service=own", "PGSERVICEFILE": path]
            }
            let ran = try await installation.run("status", changes)
            #expect(ran.code == 0, "\(ran.errors)")
            #expect(silent.connections == 1)
        }
    }

    @Test func `a command says what the only server did`() async throws {
        try await Installation.with { installation in
            let silent = try SwitchingRelay(to: installation.url, .silent)
            let ran = try await installation.run(
                "status", ["DATABASE_URL": silent.url + "&connect_timeout=1"])
            #expect(ran.code == 69)
            #expect(
                ran.errors.contains(
                    "can't be reached: 127.0.0.1, port \(silent.port): the server did not answer in time"
                ))
        }
    }

    /// The soft limit of a process that runs: its hard one stays.
    private func limitOpenFiles(of program: RunningProgram, to count: Int) throws {
        let process = try Process.run(
            URL(fileURLWithPath: "/usr/bin/prlimit"),
            arguments: ["--pid", "\(program.process.processIdentifier)", "--nofile=\(count):"])
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test func `a worker without descriptors blames neither the source nor the job, and says so`()
        async throws
    {
        try await Installation.withSource { installation, source in
            let program = try installation.start("worker")
            try await eventually("the worker is registered") {
                try await installation.value("select count(*) from jobrunner.workers") == "1"
            }
            try await waitForRuns(1, installation.pool)
            // The connection to the source is kept, and would do for the next run: by another name it needs one more.
            try await installation.script(
                "select jobrunner.set_source('acme', 'demo', 'http://localhost:\(source.port)')")
            try limitOpenFiles(of: program, to: 3)
            try await ask(installation.pool)
            try await eventually("a run is put off") {
                try await installation.value(
                    "select count(*) from jobrunner.jobs where last_outcome = 'deferred'") == "1"
            }
            #expect(
                try await installation.value("select last_error_kind from jobrunner.jobs")
                    == "crowded")
            #expect(
                try await installation.value("select consecutive_failures from jobrunner.jobs")
                    == "0")
            #expect(
                try await installation.value("select count(*) from jobrunner.blocked_sources")
                    == "0")
            #expect(
                try program.errorsSoFar().contains(
                    "own limit reached error=\"this process has no file descriptor left\""))
            try limitOpenFiles(of: program, to: 1000)
            try await installation.script("select jobrunner.retry_jobs('acme')")
            try await eventually("the next run is complete") {
                try await installation.value("select last_outcome from jobrunner.jobs")
                    == "complete"
            }
            _ = try await stop(program)
        }
    }

    /// The program, under limits of a shell.
    private func run(_ installation: Installation, limits: String, _ line: String) throws -> (
        code: Int32, errors: String
    ) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "\(limits); exec \(programURL.path) \(line)"]
        process.environment = installation.environment
        let pipe = Pipe()
        process.standardError = pipe
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        let errors = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: errors, as: UTF8.self))
    }

    @Test func `the limit of open files is raised, and slots that do not fit into it are told`()
        async throws
    {
        try await Installation.withSource { installation, _ in
            let raised = try run(installation, limits: "ulimit -Sn 40", "worker --drain")
            #expect(
                raised.code == 0 && !raised.errors.contains("slots lowered"), "\(raised.errors)")
            let low = try run(installation, limits: "ulimit -n 60", "worker --drain")
            #expect(low.code == 0, "\(low.errors)")
            #expect(low.errors.contains("slots lowered asked=50 capacity=12 open_files=60"))
            #expect(low.errors.contains("capacity=12\n"))
        }
    }
}
