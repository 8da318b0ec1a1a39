import HTTP
import JobFiles
import Postgres
import Secrets
import Telemetry

/// What the environment says, read in this one place.
struct Settings: Sendable {
    /// Folder of the job files.
    let jobsFolder: String
    private let keyFile: String?
    private let serveTokenFile: String?
    /// The header field by which a proxy says who asks `serve`; nil when there is no proxy.
    let serveProxyHeader: String?
    /// systemd's folder of credentials; nil when there is none.
    let credentials: String?
    let log: LogSettings
    /// What is set, and where.
    let found: [Setting: SettingReader.Found]
    private let environment: @Sendable (String) -> String?
    /// systemd, where it started this process.
    let serviceManager: ServiceManager

    /// Reads what is set.
    ///
    /// Throws `LogSettingError`, and `Failure` for a file that can't be read or a wrong line of one.
    init(environment: @escaping @Sendable (String) -> String?) throws {
        self.environment = environment
        let reader = try SettingReader(environment: environment)
        var found: [Setting: SettingReader.Found] = [:]
        for setting in Setting.allCases { found[setting] = try reader.find(setting) }
        self.found = found
        credentials = reader.credentials
        jobsFolder = found[.jobs]?.value ?? Setting.jobs.fallback ?? ""
        keyFile = found[.keyFile]?.value
        serveTokenFile = found[.serveTokenFile]?.value
        serveProxyHeader = found[.serveProxyHeader]?.value
        serviceManager = ServiceManager(environment: environment)
        var words: [String: String] = [:]
        words[Setting.log.rawValue] = found[.log]?.value
        let level = found[.logLevel]?.value
        words[Setting.logLevel.rawValue] = level.flatMap { LogLevelWord($0)?.word } ?? level
        log = try LogSettings(environment: words)
    }

    /// The database's settings, for sessions that are the server's own; never through a pooler.
    func databaseConfiguration() throws -> DatabaseConfiguration {
        try configuration(found[.directURL] == nil ? .databaseURL : .directURL)
    }

    /// The same, and beside it the settings for a number of sessions that may be others for each transaction.
    func databaseConfigurations(
        lanes: Int
    ) throws -> (own: DatabaseConfiguration, work: DatabaseConfiguration) {
        let own = try databaseConfiguration()
        var work = own
        if found[.directURL] != nil {
            work = try configuration(.databaseURL)
            work.isPooled = true
        }
        work.lanes = lanes
        return (own, work)
    }

    /// What is in a file is read anew for each connection.
    ///
    /// Of several servers one that takes writes comes first.
    private func configuration(_ setting: Setting) throws -> DatabaseConfiguration {
        // Where the database is; nil leaves it to libpq's `PG*` variables. It may hold a password.
        let url = found[setting]?.value
        var configuration: DatabaseConfiguration
        do {
            configuration = try DatabaseConfiguration(
                conninfo: url, applicationName: "jobrunner", lanes: 1)
        } catch let error as DatabaseError where setting == .directURL {
            throw Failure(.configuration, "\(setting.rawValue): \(error.message)")
        }
        configuration.serversWanted = .writableFirst
        guard let found = found[setting], found.origin != .environment else {
            return configuration
        }
        return configuration.rereading { [environment] in
            do throws(Failure) {
                let url = try SettingReader(environment: environment).find(setting)?.value
                if let url, !url.isEmpty { return url }
            } catch {
                throw Unread(description: error.lines.joined(separator: " "))
            }
            throw Unread(description: "\(found.origin.words) holds none")
        }
    }

    /// The job files that are right, and what is wrong with the others, whose jobs alone it concerns.
    ///
    /// Throws `Failure` when none is right.
    func jobFiles() throws -> (right: [JobFile], mistakes: [Mistake]) {
        let (jobs, mistakes) = JobFile.loadEach(directory: jobsFolder)
        if jobs.isEmpty, !mistakes.isEmpty { throw Failure(mistakes: mistakes) }
        return (jobs, mistakes)
    }

    /// The job file of that name.
    ///
    /// Throws `Failure` when there is none; a wrong file may be it, so that mistakes are told.
    func jobFile(named name: String) throws -> JobFile {
        let (files, mistakes) = try jobFiles()
        if let file = files.first(where: { $0.name == name }) { return file }
        guard mistakes.isEmpty else { throw Failure(mistakes: mistakes) }
        throw Failure(
            .data,
            "no file of \(jobsFolder) defines job \(name); expected \(choices(files.map(\.name)))"
                + hint(for: name, among: files.map(\.name)))
    }

    /// What those who ask `serve` must know, one of them each; empty when no token is asked for.
    ///
    /// A line of the file has a token, or a name before it; a token without one is called `token`.
    func serveTokens() throws -> [ServeToken] {
        guard let serveTokenFile else { return [] }
        let bytes = try readSecretFile(
            serveTokenFile, limit: 64 << 10, credentials: credentials, unfit: .configuration)
        var tokens: [ServeToken] = []
        for line in bytes.split(whereSeparator: { $0 == 10 || $0 == 13 }) {
            let words = line.split(whereSeparator: { $0 == 32 || $0 == 9 })
            guard let token = words.last else { continue }
            let name = words.count == 2 ? String(decoding: words[0], as: UTF8.self) : "token"
            guard words.count < 3, token.count >= 16, !tokens.contains(where: { $0.name == name })
            else {
                throw Failure(
                    .configuration,
                    "JOBRUNNER_SERVE_TOKEN_FILE: expected a token of 16 characters or more in each line, behind a name of"
                        + " its own where there are several")
            }
            tokens.append(ServeToken(name: name, bytes: Array(token)))
        }
        guard !tokens.isEmpty else {
            throw Failure(.configuration, "JOBRUNNER_SERVE_TOKEN_FILE: expected a token")
        }
        return tokens
    }

    /// Where sources may live beside the public internet.
    func privateNetworks() throws(Failure) -> Networks {
        try networks(.privateNetworks) ?? .none
    }

    /// The networks that a setting names; nil where it is not set.
    func networks(_ setting: Setting) throws(Failure) -> Networks? {
        guard let list = found[setting]?.value else { return nil }
        do { return try Networks(list) } catch {
            throw Failure(.configuration, "\(setting.rawValue): \(error)")
        }
    }

    /// The names by which `serve` and workers are asked, beside those that are this machine's anyway; in lower case.
    func serveHosts() throws(Failure) -> Set<String> {
        let list = (found[.serveHosts]?.value ?? "").lowercased()
        let hosts = list.split { $0 == "," || $0.isWhitespace }.map(String.init)
        for host in hosts where !host.utf8.allSatisfy({ Self.ofHosts.contains($0) }) {
            throw Failure(
                .configuration,
                "\(Setting.serveHosts.rawValue): \"\(host)\" is no host; expected names without a port, such as"
                    + " metrics.example.com")
        }
        return Set(hosts)
    }

    private static let ofHosts = Set("abcdefghijklmnopqrstuvwxyz0123456789.-_".utf8)

    var hasKeyFile: Bool { keyFile != nil }

    /// What makes and unwraps the keys of tenants.
    func keyKeeper() throws -> KeyKeeper {
        guard let keyFile else {
            throw Failure(
                .configuration,
                "JOBRUNNER_KEY_FILE is not set; expected the path of the file with the keys that"
                    + " open secrets")
        }
        return KeyKeeper(
            ring: try KeyFile.load(keyFile, credentials: credentials),
            outside: try outsideKeys())
    }

    private func outsideKeys() throws(Failure) -> OutsideKeys? {
        let (folder, command) = (found[.keyFolder]?.value, found[.keyCommand]?.value)
        switch (folder, command) {
        case (nil, nil): return nil
        case (let folder?, nil): return .folder(KeyFolder(folder))
        case (nil, let command?): return .command(KeyCommand(command))
        default:
            throw Failure(
                .configuration,
                "JOBRUNNER_KEY_FOLDER and JOBRUNNER_KEY_COMMAND are both set; expected one of them, where all keys of"
                    + " tenants are")
        }
    }
}

/// Why a setting could not be read anew, in words that hold nothing of it.
private struct Unread: Error, CustomStringConvertible {
    let description: String
}
