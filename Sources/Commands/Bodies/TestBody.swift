import Asking
import CloudKit
import Conformance
import HTTP
import JobFiles
import JSON
import Postgres
import JobQueue
import Secrets
import Sync
import Telemetry

/// `jobrunner test`: exit 1 when a guarantee does not hold.
func testJob(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let file = try context.settings.jobFile(named: arguments.subject)
    let setting = try TestSetting(arguments, context, file)
    let source = try TestSource(
        arguments, file, context.settings.privateNetworks(), setting.redactor)
    defer { source.client?.close() }
    var home = try context.settings.databaseConfiguration()
    home.statementTimeout = .seconds(600)
    home.connectTimeout = .seconds(10)
    home.reconnectTimeout = .seconds(2)
    let scratch = try await ScratchDatabase.make(beside: home)
    let results: [GuaranteeResult]
    do {
        results = try await untilStopped {
            try await setting.results(file, in: scratch, source, context)
        }
    } catch {
        await drop(scratch, context)
        throw error
    }
    await drop(scratch, context)
    if arguments.has("json") {
        try context.output.print(JSONValue.array(results.map(\.json)).text + "\n")
    }
    let fails = results.contains { if case .fails = $0.verdict { true } else { false } }
    return fails ? .failure : .ok
}

/// What a test's user has, from the command line.
private struct TestSetting {
    let base: String?
    let attributes: String
    let lists: [(column: ListColumn, items: [String])]
    let secrets: [(name: String, value: SecretValue)]
    let isQuiet: Bool

    init(_ arguments: ParsedArguments, _ context: Context, _ file: JobFile) throws {
        base = arguments.text("base")
        isQuiet = arguments.has("json")
        attributes = attributesJSON(arguments)
        lists = try readLists(arguments, context).flatMap { try $0.replacements(jobs: [file.name]) }
        secrets = try readSecrets(arguments, context)
        guard file.scope == .user || !arguments.has("set") && lists.isEmpty else {
            throw Failure(
                .data,
                "job \(file.name) is the tenant's own and has no user; leave --set and --list out"
            )
        }
    }

    var redactor: Redactor { Redactor(secrets: secrets.map { $0.value.withBytes(Array.init) }) }

    /// Tries all guarantees and prints each result as it comes.
    func results(
        _ file: JobFile, in scratch: ScratchDatabase, _ source: TestSource, _ context: Context
    ) async throws -> [GuaranteeResult] {
        // The scratch database is gone afterwards, so that its key need not outlive it.
        let keys = KeyKeeper(ring: KeyRing(try MasterKey.random()))
        let sealer = SecretSealer(origins: [], files: [file], keeper: keys)
        let suite = GuaranteeSuite(
            file, in: scratch, source: source.sender, keys: keys, version: programVersion,
            dialect: cloudKitDialect)
        // The others are known to the redactor alone.
        let named = secrets.filter { file.secretNames.contains($0.name) }
        var results: [GuaranteeResult] = []
        do {
            try await suite.prepare(
                base: base, attributes: attributes, lists: lists,
                seal: named.isEmpty
                    ? nil : sealer.sealing(named, of: file.scope == .tenant ? nil : "test"))
            tellLimits(file, source, context)
            try await suite.run { result in
                results.append(result)
                if !isQuiet { try context.say(result.line) }
            }
        } catch {
            await suite.close()
            // What was not recorded explains whatever followed from it.
            if error is GuaranteeSuiteError { try source.check() }
            throw error
        }
        await suite.close()
        try source.check()
        return results
    }

    private func tellLimits(_ file: JobFile, _ source: TestSource, _ context: Context) {
        if file.entities.contains(where: { $0.push != nil }) {
            context.output.complain("note: only what the job pulls is tested; nothing is pushed")
        }
        guard source.client != nil else { return }
        switch file.source.auth {
        case .cloudkitUser(_, _, rotates: true), .oauth2Refresh:
            context.output.complain(
                "note: the source may replace the credential; the one that was given is used up then"
            )
        default: break
        }
    }
}

/// What answers the requests: the source, perhaps written down, or recordings.
private struct TestSource {
    let sender: any Sender
    let client: HTTPClient?
    private let recorder: RecordingSender?
    private let player: ReplayingSender?

    init(
        _ arguments: ParsedArguments, _ file: JobFile, _ networks: Networks,
        _ redactor: Redactor
    ) throws {
        if let folder = arguments.text("replay") {
            let player = try ReplayingSender(folder: folder, of: file, redactor)
            (sender, client, recorder, self.player) = (player, nil, nil, player)
            return
        }
        let client = HTTPClient(
            userAgent: "jobrunner/\(programVersion)", privateNetworks: networks, transfersMax: 4)
        let recorder = try arguments.text("record").map {
            try RecordingSender(client, folder: $0, of: file, redactor)
        }
        sender = recorder ?? client
        (self.client, self.recorder, player) = (client, recorder, nil)
    }

    func check() throws {
        try recorder?.check()
        try player?.check()
    }
}

private func drop(_ scratch: ScratchDatabase, _ context: Context) async {
    do {
        // A command that was stopped must still clean up.
        try await Task { try await scratch.drop() }.value
    } catch {
        context.output.complain("note: database \(scratch.name) could not be dropped; drop it")
    }
}

/// Does the body; a signal that ends processes cancels it and is a `Failure`.
private func untilStopped<R: Sendable>(
    _ body: @escaping @Sendable () async throws -> R
) async throws -> R {
    let work = Task { try await body() }
    let watch = Task {
        for await _ in Signals.stream(endingWithin: .seconds(9)) {
            work.cancel()
            return true
        }
        return false
    }
    defer { watch.cancel() }
    do {
        return try await work.value
    } catch  where work.isCancelled {
        throw Failure(.temporary, "stopped; the scratch database goes with it")
    }
}
