import Asking
import Basics
import Foundation
import JobQueue
import Postgres
import Secrets
import TestSupport
import Testing

/// All secrets are sealed anew while workers go on.
@Suite("key rotation")
struct KeyRotationTests {
    private static let yaml = World.generic(
        "token", page: "style: token, token_at: next_token, size: 20",
        query: #"cursor: "{page.token}""#,
        source: """
            auth:
              type: oauth2_refresh
              token_url: HUB_BASE/oauth/any/token
              client_id: "{secret.client_id}"
              client_secret: "{secret.client_secret}"
              refresh_token: "{secret.refresh}"
            """)

    private func add(_ key: String, to world: World) async throws {
        try await world.addUser(key, videos: 3)
        try await world.source.command(
            "POST", "auth",
            """
            {"user": "\(key)", "type": "oauth2", "client_id": "me-\(key)", "client_secret": "secret-\(key)",
             "refresh_token": "first-\(key)", "rotates": true}
            """)
        try await world.store("me-\(key)", as: "client_id", of: key)
        try await world.store("secret-\(key)", as: "client_secret", of: key)
        try await world.store("first-\(key)", as: "refresh", of: key)
    }

    @Test(.timeLimit(.minutes(5)))
    func
        `a rotation that is killed three times under load loses no token that changes at each use`()
        async throws
    {
        let world = try await World(Self.yaml, keeper: testKeeper(7))
        let program = try KilledProgram(world, keys: ["07", "08"])
        defer { program.clear() }
        for number in 1...12 { try await add("user\(number)", to: world) }
        try await world.drain()
        // Workers have both keys by now, and no token serves for long: each run spends a refresh token.
        let worker = try program.start()
        defer { kill(worker.processIdentifier, SIGKILL) }
        let load = Task {
            while !Task.isCancelled {
                try await world.given(.expiredToken(), .due(.waiting))
                try await Task.sleep(for: .milliseconds(30))
            }
        }
        // It is held where it is about to change the tenant's key, to store the first secrets, and to drop the old key.
        for (verb, rows) in [
            ("replace_tenant_key", "select from jobrunner.tenant_keys for update"),
            ("seal_anew", "select from jobrunner.secrets where name = 'client_id' for update"),
            (
                "drop_retired_keys",
                "select from jobrunner.tenant_keys where retired_at is not null for key share"
            ),
        ] {
            let holder = try await OpenTransaction(world.database.url, rows)
            let rotation = try program.start(["key", "rotate"])
            try await eventually("the rotation waits in \(verb)") {
                try await world.int(
                    "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and query like '%\(verb)%'"
                ) > 0
            }
            kill(rotation.processIdentifier, SIGKILL)
            rotation.waitUntilExit()
            try await holder.rollBack()
        }
        let last = try program.start(["key", "rotate"])
        last.waitUntilExit()
        #expect(last.terminationStatus == 0)
        load.cancel()
        _ = await load.result
        kill(worker.processIdentifier, SIGTERM)
        worker.waitUntilExit()
        #expect(worker.terminationStatus == 0)
        // The old key wraps nothing and opens nothing.
        let new = try testKeeper(8)
        #expect(
            try await world.texts("select encode(wrapped_by, 'hex') from jobrunner.tenant_keys")
                == [new.ring.newest.id])
        let old = try testKeeper(7)
        for key in try await world.queue.keys(ofTenant: 1) {
            #expect(throws: SecretError.self) {
                try old.unwrap(
                    id: key.id, wrapped: key.wrapped, wrappedBy: key.wrappedBy, tenant: 1)
            }
        }
        // Every user runs on, by the new key alone.
        let after = try KilledProgram(world, keys: ["08"])
        defer { after.clear() }
        try await world.given(.expiredToken(), .due(.waiting), .unrun(.waiting))
        let drain = try after.start(["worker", "--drain"])
        drain.waitUntilExit()
        #expect(
            try await world.texts(
                "select distinct last_outcome || coalesce(' ' || last_error, '') from jobrunner.jobs"
            ) == ["complete"])
    }

    @Test func `a key that the key file lacks keeps its tenant's secrets, which is told`()
        async throws
    {
        let world = try await World(Self.yaml, keeper: testKeeper(7))
        try await add("ann", to: world)
        let foreign = KeyRotation(try testKeeper(9), world.queue)
        let report = try await foreign.run()
        #expect(report.secrets == 0 && report.tenants == 0)
        #expect(report.unopened.count == 1)
        try await world.drain()
        #expect(try await world.job("ann").text("last_outcome") == "complete")
    }

    @Test func `a run that sealed with the key before seals again, and its token is stored`()
        async throws
    {
        // It has the new key too, as every worker must before the rotation.
        let world = try await World(Self.yaml, keeper: testKeeper(8, 7))
        try await add("ann", to: world)
        try await world.drain()
        try await world.given(.expiredToken(), .due(.waiting), .unrun(.waiting))
        // The run has read the tenant's key by then, and its new token comes when that has gone.
        try await world.source.fault(#"{"kind": "slow", "delay_ms": 2000, "path": "/oauth"}"#)
        let before = try await world.source.log().count
        let running = try await world.start(drains: true)
        try await eventually("the token is asked for") {
            try await world.source.log().count > before
        }
        let report = try await KeyRotation(try testKeeper(7, 8), world.queue).run()
        #expect(report.secrets == 3)
        await running.ended()
        #expect(try await world.job("ann").text("last_outcome") == "complete")
        try await world.runAgain()
        #expect(try await world.job("ann").text("last_outcome") == "complete")
    }

    @Test func `a box that nobody can open keeps no old key`() async throws {
        let world = try await World(Self.yaml, keeper: testKeeper(7))
        try await add("ann", to: world)
        let sealed = try await world.sealed("x", as: "client_secret", of: "ann")
        try await world.sql(
            "select jobrunner.set_secret('acme', 'ann', 'client_secret', $1)",
            .bytes(sealed.dropLast() + [(sealed.last ?? 0) ^ 1]))
        let report = try await KeyRotation(try testKeeper(7, 8), world.queue).run()
        #expect(report.secrets == 3 && report.spoilt == 1 && report.unopened.isEmpty)
        #expect(
            try await world.texts("select encode(wrapped_by, 'hex') from jobrunner.tenant_keys")
                == [testKeeper(8).ring.newest.id])
    }

    @Test
    func `a tenant whose key is to be renewed gets another one from a worker, and no other does`()
        async throws
    {
        let world = try await World(Self.yaml, keeper: testKeeper(7))
        try await add("ann", to: world)
        try await world.sql("select jobrunner.add_tenant('globex')")
        let keys = TenantKeys(try testKeeper(7), world.queue)
        try await keys.tend()
        let before = try await held(world)
        #expect(try await world.queue.renewKey(ofTenant: "acme"))
        #expect(try await !world.queue.renewKey(ofTenant: "acme"))
        // A worker with another key file can't, says so, and leaves it to one that can.
        await #expect(throws: SecretError.self) {
            try await TenantKeys(testKeeper(9), world.queue).tend()
        }
        #expect(try await held(world) == before)
        #expect(try await world.queue.examine([.lateKeys])[.lateKeys] == [])
        try await world.given(.keysAskedFor(ago: "6 min"))
        #expect(try await world.queue.examine([.lateKeys])[.lateKeys]?.count == 1)
        try await keys.tend()
        let after = try await held(world)
        #expect(after.count == 2 && after[0] != before[0] && after[1] == before[1])
        #expect(
            try await world.texts(
                "select distinct encode(key_id, 'hex') from jobrunner.secrets") == [after[0]])
        // It is done with: nothing is renewed again.
        try await keys.tend()
        #expect(try await held(world) == after)
        try await world.drain()
        #expect(try await world.job("ann").text("last_outcome") == "complete")
        #expect(try await world.queue.renewKey(ofTenant: "acme"))
    }

    @Test func `a renewal that was killed after the new key is ended by the next worker`()
        async throws
    {
        let world = try await World(Self.yaml, keeper: testKeeper(7))
        try await add("ann", to: world)
        #expect(try await world.queue.renewKey(ofTenant: "acme"))
        let made = try testKeeper(7).newKey(ofTenant: 1)
        let first = try #require(try await world.queue.keys(ofTenant: 1).first)
        #expect(try await world.queue.replaceKey(first.id, with: made))
        // Who has seen the first one only replaces no other.
        let late = try testKeeper(7).newKey(ofTenant: 1)
        #expect(try await !world.queue.replaceKey(first.id, with: late))
        // What is asked for is done with when nothing is left to do.
        #expect(try await !world.queue.renewKey(ofTenant: "acme"))
        try await TenantKeys(try testKeeper(7), world.queue).tend()
        #expect(try await held(world) == [Hex.encode(made.id)])
        try await world.drain()
        #expect(try await world.job("ann").text("last_outcome") == "complete")
    }

    /// The ids of all tenants' keys.
    private func held(_ world: World) async throws -> [String] {
        try await world.texts(
            "select encode(id, 'hex') from jobrunner.tenant_keys order by tenant_id, made_at")
    }

    @Test(arguments: OutsideKind.allCases)
    func `a key that was replaced goes from where it is kept`(kind: OutsideKind) async throws {
        let store = try KeyStore(kind)
        let world = try await World(
            Self.yaml, keeper: KeyKeeper(ring: try testKeeper(7).ring, outside: store.keys))
        try await add("ann", to: world)
        let before = try store.names
        let both = KeyKeeper(ring: try testKeeper(7, 8).ring, outside: store.keys)
        _ = try await KeyRotation(both, world.queue).run()
        let after = try store.names
        #expect(before.count == 1 && after.count == 1 && before != after)
    }

    @Test(arguments: OutsideKind.allCases)
    func `keys outside are needed to open, and go with their tenant`(
        kind: OutsideKind
    ) async throws {
        let store = try KeyStore(kind)
        let keeper = KeyKeeper(ring: try testKeeper(7).ring, outside: store.keys)
        let world = try await World(Self.yaml, keeper: keeper)
        try await add("ann", to: world)
        #expect(try store.names.count == 1)
        #expect(
            try await world.texts("select wrapped::text from jobrunner.tenant_keys") == ["null"])
        try await world.drain()
        #expect(try await world.job("ann").text("last_outcome") == "complete")
        // Without what is kept outside the key file opens nothing.
        let key = try #require(try await world.queue.keys(ofTenant: 1).first)
        #expect(throws: SecretError.keyLost(id: Hex.encode(key.id), isKept: false)) {
            try testKeeper(7).unwrap(
                id: key.id, wrapped: key.wrapped, wrappedBy: key.wrappedBy, tenant: 1)
        }
        try await world.sql("select jobrunner.remove_tenant('acme')")
        #expect(try store.names.count == 1)
        try await TenantKeys(keeper, world.queue).tend()
        #expect(try store.names == [])
        #expect(try await world.texts("select count(*)::text from jobrunner.key_removals") == ["0"])
    }

    @Test func `a program that is away puts runs off, and they go on when it is back`() async throws
    {
        let store = try KeyStore(.command)
        let keeper = KeyKeeper(ring: try testKeeper(7).ring, outside: store.keys)
        let world = try await World(Self.yaml, keeper: keeper)
        try await add("ann", to: world)
        try store.stop()
        try await world.drain()
        #expect(try await world.job("ann").text("last_outcome") == "deferred")
        #expect(try await world.job("ann").text("last_error_kind") == "no_key")
        try store.start()
        try await world.runAgain()
        #expect(try await world.job("ann").text("last_outcome") == "complete")
    }
}

enum OutsideKind: CaseIterable, Sendable { case folder, command }

/// Keeps keys in a folder, by itself or through a program; goes with the test.
private final class KeyStore: Sendable {
    let keys: OutsideKeys
    private let folder = NSTemporaryDirectory() + "keys-\(UUID().uuidString)"
    private let program = NSTemporaryDirectory() + "keys-\(UUID().uuidString).sh"

    init(_ kind: OutsideKind) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        keys = kind == .folder ? .folder(KeyFolder(folder)) : .command(KeyCommand(program))
        try start()
    }

    deinit {
        for path in [folder, program] { try? FileManager.default.removeItem(atPath: path) }
    }

    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder) }
    }

    func stop() throws { try FileManager.default.removeItem(atPath: program) }

    /// Another process writes the program: nobody here may have it open when it is called.
    func start() throws {
        let text = """
            #!/bin/sh
            cd \(folder)
            case $1 in
              read) if test -e $2; then cat $2; fi ;;
              write) cat > $2 ;;
              remove) rm -f $2 ;;
            esac
            """
        _ = try runChild(
            ["/bin/sh", "-c", "cat > \(program); chmod 700 \(program)"], input: Array(text.utf8),
            outputMax: 0, until: .now + .seconds(20))
    }
}
