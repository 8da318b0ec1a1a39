import CloudKit
import Conformance
import HTTP
import JSON
import JobFile
import Postgres
import Queue
import Secrets
import Sync
import Telemetry

/// `jobrunner test`: exit 1 when a guarantee does not hold.
func testJob(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let file = try context.settings.jobFile(named: arguments.subject)
    let setting = try TestSetting(arguments, context, file)
    let outlet = try Outlet(arguments, file, setting.redactor)
    defer { outlet.client?.close() }
    var home = try context.settings.databaseConfiguration()
    home.statementTimeout = .seconds(600)
    home.connectPatience = .seconds(2)
    let scratch = try await Scratch.make(beside: home)
    let judgements: [Judgement]
    do {
        judgements = try await untilStopped {
            try await setting.judgements(file, in: scratch, outlet, context)
        }
    } catch {
        await drop(scratch, context)
        throw error
    }
    await drop(scratch, context)
    if arguments.has("json") {
        try context.output.print(JSONValue.array(judgements.map(\.json)).text + "\n")
    }
    let fails = judgements.contains { if case .fails = $0.finding { true } else { false } }
    return fails ? .failure : .ok
}

/// What a test's user has, from the command line.
private struct TestSetting {
    let base: String?
    let attributes: String
    let lists: [(place: ListPlace, items: [String])]
    let secrets: [(name: String, value: SecretValue)]
    let isQuiet: Bool

    init(_ arguments: ParsedArguments, _ context: Context, _ file: JobFile) throws {
        base = arguments.text("base")
        isQuiet = arguments.has("json")
        let pairs = arguments.assignments("set")
        attributes =
            JSONValue.object(
                pairs.compactMap { pair in
                    guard case .text(let text) = pair.value else { return nil }
                    return JSONMember(pair.name, .string(text))
                }
            ).text
        lists = try readLists(arguments, context).flatMap { try $0.replacements(jobs: [file.name]) }
        secrets = try readSecrets(arguments)
        guard file.scope == .user || pairs.isEmpty && lists.isEmpty else {
            throw Failure(
                .data,
                "job \(file.name) is the tenant's own and has no user; leave --set and --list out"
            )
        }
    }

    var redactor: Redactor { Redactor(secrets: secrets.map { $0.value.withBytes(Array.init) }) }

    /// Tries all guarantees and prints each judgement as it comes.
    func judgements(
        _ file: JobFile, in scratch: Scratch, _ outlet: Outlet, _ context: Context
    ) async throws -> [Judgement] {
        // The scratch database is gone afterwards, so that its key need not outlive it.
        let sealer = Sealer(key: try SealingKey.random())
        let battery = Battery(
            file, in: scratch, source: outlet.sender, sealer: sealer, version: programVersion,
            dialect: cloudKitDialect)
        var judgements: [Judgement] = []
        do {
            try await battery.prepare(
                base: base, attributes: attributes, lists: lists,
                seal: secrets.isEmpty ? nil : sealing(secrets, with: sealer))
            tellLimits(file, outlet, context)
            try await battery.run { judgement in
                judgements.append(judgement)
                if !isQuiet { try context.say(judgement.line) }
            }
        } catch {
            await battery.close()
            // What was not recorded explains whatever followed from it.
            if error is BatteryError { try outlet.check() }
            throw error
        }
        await battery.close()
        try outlet.check()
        return judgements
    }

    private func tellLimits(_ file: JobFile, _ outlet: Outlet, _ context: Context) {
        if file.entities.contains(where: { $0.push != nil }) {
            context.output.complain("note: only what the job pulls is tested; nothing is pushed")
        }
        guard outlet.client != nil else { return }
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
private struct Outlet {
    let sender: any Sender
    let client: HTTPClient?
    private let recorder: Recorder?
    private let player: Player?

    init(_ arguments: ParsedArguments, _ file: JobFile, _ redactor: Redactor) throws {
        if let folder = arguments.text("replay") {
            let player = try Player(folder: folder, of: file, redactor)
            (sender, client, recorder, self.player) = (player, nil, nil, player)
            return
        }
        let client = HTTPClient(userAgent: "jobrunner/\(programVersion)", transfersMax: 4)
        let recorder = try arguments.text("record").map {
            try Recorder(client, folder: $0, of: file, redactor)
        }
        sender = recorder ?? client
        (self.client, self.recorder, player) = (client, recorder, nil)
    }

    func check() throws {
        try recorder?.check()
        try player?.check()
    }
}

private func drop(_ scratch: Scratch, _ context: Context) async {
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
