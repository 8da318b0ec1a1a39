/// What may be set of the program from outside: the one list, which the manual's table follows.
///
/// Each is looked for in the environment, then in a file that the environment names (`NAME_FILE`), then in systemd's
/// `$CREDENTIALS_DIRECTORY` under its name in small letters, then in the file that `JOBRUNNER_SETTINGS` names.
enum Setting: String, CaseIterable {
    case databaseURL = "DATABASE_URL"
    case jobs = "JOBRUNNER_JOBS"
    case keyFile = "JOBRUNNER_KEY_FILE"
    case serveTokenFile = "JOBRUNNER_SERVE_TOKEN_FILE"
    case serveProxyHeader = "JOBRUNNER_SERVE_PROXY_HEADER"
    case log = "JOBRUNNER_LOG"
    case logLevel = "JOBRUNNER_LOG_LEVEL"
    case settingsFile = "JOBRUNNER_SETTINGS"

    /// What it is, for the manual and for people who ask.
    var meaning: String {
        switch self {
        case .databaseURL: "a PostgreSQL URI or keyword string"
        case .jobs: "folder of the job files"
        case .keyFile: "file with the key that seals secrets"
        case .serveTokenFile: "file with the token that `serve` asks for"
        case .serveProxyHeader: "header by which a proxy in front of `serve` says who asks"
        case .log: "`text` or `json`"
        case .logLevel:
            "`error`, `warning`, `info` or `debug`; the other words of swift-log mean the nearest"
        case .settingsFile: "file of lines `NAME=value`, for what the environment does not set"
        }
    }

    /// What holds without it.
    var usual: String {
        switch self {
        case .databaseURL: "libpq's `PGHOST`, `PGDATABASE`, `PGPASSWORD`, …"
        case .jobs: "`jobs`"
        case .keyFile: "none: no secret can be stored or used"
        case .serveTokenFile: "none: only this machine may ask"
        case .serveProxyHeader, .settingsFile: "none"
        case .log: "`text`"
        case .logLevel: "`LOG_LEVEL`, else `info`"
        }
    }

    /// Its value is never printed.
    var isSecret: Bool { self == .databaseURL }

    /// Its value is the path of a file that holds something secret; a credential of systemd's is such a file itself.
    var isPath: Bool { self == .keyFile || self == .serveTokenFile }

    /// Its name among systemd's credentials.
    var credential: String {
        let name = rawValue.lowercased()
        return isPath ? String(name.dropLast("_file".count)) : name
    }
}
