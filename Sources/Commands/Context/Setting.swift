/// What may be set of the program from outside: the one list, which the manual's table follows.
///
/// An option of a command line comes before the setting of the same meaning. Each is looked for in the environment, then
/// in a file that the environment names (`NAME_FILE`), then in systemd's `$CREDENTIALS_DIRECTORY` under its name in small
/// letters, then in the file that `JOBRUNNER_SETTINGS` names.
enum Setting: String, CaseIterable {
    case databaseURL = "DATABASE_URL"
    case directURL = "JOBRUNNER_DIRECT_URL"
    case jobs = "JOBRUNNER_JOBS"
    case keyFile = "JOBRUNNER_KEY_FILE"
    case keyFolder = "JOBRUNNER_KEY_FOLDER"
    case keyCommand = "JOBRUNNER_KEY_COMMAND"
    case privateNetworks = "JOBRUNNER_PRIVATE_NETWORKS"
    case serveTokenFile = "JOBRUNNER_SERVE_TOKEN_FILE"
    case serveTrusted = "JOBRUNNER_SERVE_TRUSTED"
    case serveProxyHeader = "JOBRUNNER_SERVE_PROXY_HEADER"
    case serveHosts = "JOBRUNNER_SERVE_HOSTS"
    case concurrency = "JOBRUNNER_CONCURRENCY"
    case reserve = "JOBRUNNER_RESERVE"
    case connections = "JOBRUNNER_CONNECTIONS"
    case lease = "JOBRUNNER_LEASE"
    case metrics = "JOBRUNNER_METRICS"
    case listen = "JOBRUNNER_LISTEN"
    case log = "JOBRUNNER_LOG"
    case logLevel = "JOBRUNNER_LOG_LEVEL"
    case settingsFile = "JOBRUNNER_SETTINGS"

    /// What it is, for the manual and for people who ask.
    var meaning: String {
        switch self {
        case .databaseURL: "a PostgreSQL URI or keyword string"
        case .directURL:
            "the same without a way through a pooler, where [`DATABASE_URL` leads to one](pooler.md)"
        case .jobs: "folder of the job files"
        case .keyFile: "file with the keys that open secrets, one a line, the newest last"
        case .keyFolder:
            "folder where the keys of tenants are kept, wrapped; the same for all workers"
        case .keyCommand:
            "[program](upkeep.md#keys-outside-of-the-database) that keeps them, in place of a folder"
        case .privateNetworks:
            "[networks beside the public internet](install.md#networks) in which sources live, such as `10.20.0.0/16, ::1/128`"
        case .serveTokenFile:
            "file with the token that `serve` asks for, and a worker for its metrics"
        case .serveTrusted:
            "networks from which both are asked without a token, or by a proxy, such as `10.20.0.7, 127.0.0.0/8`"
        case .serveProxyHeader:
            "header by which a proxy in front of them says who asks; it is believed from trusted networks only"
        case .serveHosts: "names by which both are asked, such as `metrics.example.com`"
        case .concurrency: "as `worker --concurrency`: most runs at once"
        case .reserve: "as `worker --reserve`: slots that only tenants with short runs get"
        case .connections:
            "as `worker --connections`: its connections to the database, 2 to 9"
        case .lease:
            "as `worker --lease`: silence after which other workers take this one's jobs; the same for all workers of a database, at least 1 s"
        case .metrics:
            "as `worker --metrics`: the address where it answers [metrics and health](metrics.md), such as `127.0.0.1:9464`"
        case .listen: "as `serve --listen`: the address where it answers"
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
        case .jobs: fallback.map { "`\($0)`" } ?? ""
        case .directURL: "none: `DATABASE_URL` leads to the database itself"
        case .keyFile: "none: no secret can be used"
        case .keyFolder, .keyCommand: "none: they are kept in the database"
        case .privateNetworks: "none: only addresses that anybody can reach are connected to"
        case .serveTokenFile: "none: only this machine may ask"
        case .serveTrusted: "none: of a proxy, this machine"
        case .serveHosts: "none: `localhost`, and the addresses where they listen"
        case .serveProxyHeader, .settingsFile: "none"
        case .reserve: "an eighth of `JOBRUNNER_CONCURRENCY`; none with `--drain`"
        case .metrics: "`none`: it does not listen"
        case .concurrency, .connections, .lease, .listen, .log: fallback.map { "`\($0)`" } ?? ""
        case .logLevel: "`LOG_LEVEL`, else `info`"
        }
    }

    /// The value that holds without it, where there is one.
    var fallback: String? {
        switch self {
        case .jobs: "jobs"
        case .concurrency: "50"
        case .connections: "3"
        case .lease: "15s"
        case .listen: "127.0.0.1:9465"
        case .log: "text"
        case .logLevel: "info"
        case .databaseURL, .directURL, .keyFile, .keyFolder, .keyCommand, .privateNetworks,
            .serveTokenFile,
            .serveTrusted, .serveProxyHeader, .serveHosts, .reserve, .metrics, .settingsFile:
            nil
        }
    }

    /// Its value is never printed.
    var isSecret: Bool { self == .databaseURL || self == .directURL }

    /// Its value is the path of a file that holds something secret; a credential of systemd's is such a file itself.
    var isPath: Bool { self == .keyFile || self == .serveTokenFile }

    /// Its name among systemd's credentials.
    var credential: String {
        let name = rawValue.lowercased()
        return isPath ? String(name.dropLast("_file".count)) : name
    }
}
