import Conformance
import JobFiles
import Postgres
import JobQueue
import Schema
import Secrets
import Serving
import Telemetry

/// Why a command ends early: lines for a person, and a code for a script.
struct Failure: Error, CustomStringConvertible {
    let exitCode: ExitCode
    let lines: [String]
    var description: String { lines.joined(separator: "; ") }

    init(_ exitCode: ExitCode, _ line: String) {
        self.exitCode = exitCode
        lines = [line]
    }

    init(_ exitCode: ExitCode, lines: [String]) {
        self.exitCode = exitCode
        self.lines = lines
    }

    /// The one place that knows what each error means for a person.
    init(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as UsageError: self.init(error.exitCode, error.message)
        case let error as QueueError: self.init(queue: error)
        case let error as DatabaseError: self.init(database: error)
        case let error as TransactionError:
            self =
                error.databaseError.map { Failure(database: $0) } ?? Failure(.software, "\(error)")
        case let error as SchemaError: self.init(schema: error)
        case let error as SecretError: self.init(.configuration, error.description)
        case let error as LogSettingError: self.init(.configuration, error.description)
        case let error as HTTPServer.ListenFailure: self.init(.unavailable, error.description)
        case let mistakes as Mistakes: self.init(mistakes: mistakes.all)
        case let error as OutputError: self.init(output: error)
        case let error as ScratchError:
            if case .busy = error {
                self.init(.temporary, error.description)
            } else {
                self.init(.configuration, error.description)
            }
        case let error as GuaranteeSuiteError:
            self.init(error.cause == .sourceIsAway ? .unavailable : .data, error.message)
        default: self.init(.software, "\(error)")
        }
    }

    private init(queue error: QueueError) {
        switch error {
        case .refused: self.init(.data, error.description)
        // A worker makes the tenant's key, or a rotation has just replaced it.
        case .keyRetired: self.init(.temporary, error.description)
        default: self.init(.software, error.description)
        }
    }

    private init(database error: DatabaseError) {
        let message = oneLine(error.message)
        switch error.code {
        case .invalidConfiguration: self.init(.configuration, "DATABASE_URL: \(message)")
        case .notConnected, .connectionLost:
            self.init(.unavailable, "the database can't be reached: \(message)")
        case .commitUnknown:
            self.init(
                .temporary, "the connection broke at the commit; look what was kept: \(message)")
        case .timedOut, .cancelled: self.init(.temporary, message)
        case .server(let state): self.init(error, state: state, message)
        case .rolledBackAtCommit, .decoding, .misuse: self.init(.software, error.description)
        }
    }

    private init(_ error: DatabaseError, state: String, _ message: String) {
        let missing = ["42P01", "42703", "42883", "3F000"]
        if let rule = error.constraint.flatMap({ rules[$0] }) {
            self.init(.data, rule)
        } else if missing.contains(state) {
            self.init(
                .configuration,
                "the database has no schema of jobrunner or an older one (\(message)): run jobrunner"
                    + " migrate")
        } else if state == "42501" {
            self.init(.configuration, "the database's user may not do this: \(message)")
        } else if error.isConnectionFailure {
            self.init(.unavailable, "the database can't be reached: \(message)")
        } else if error.isLockTimeout {
            self.init(
                .temporary,
                "the database is busy: \(message); jobrunner doctor names who holds the lock")
        } else if error.isServerTrouble {
            self.init(.temporary, "the database can't do this now: \(message)")
        } else if error.isTransient, !state.hasPrefix("XX") {
            self.init(.temporary, "the database is busy: \(message)")
        } else if error.isDataError || state.hasPrefix("23") {
            let rule = error.constraint.map { ": " + $0.replacing("_", with: " ") } ?? ""
            self.init(.data, "the database refuses a value\(rule)")
        } else {
            self.init(.software, error.description)
        }
    }

    private init(schema error: SchemaError) {
        switch error {
        case .incompatible(let differences): self.init(.data, lines: differences)
        case .older, .newerAndBreaking, .edited: self.init(.configuration, error.description)
        case .failed(_, let cause) where cause.isTransient:
            self = Failure(database: cause)
        case .misnumbered, .failed: self.init(.software, error.description)
        }
    }

    /// A job file that can't be read at all is another thing than one with mistakes.
    init(mistakes: [Mistake]) {
        self.init(
            mistakes.contains(where: \.isUnreadable) ? .noInput : .data,
            lines: mistakes.map(\.description))
    }

    private init(output error: OutputError) {
        if error.isClosed {
            self.init(.ok, lines: [])
        } else {
            self.init(.failure, "standard output: \(systemMessage(error.errno))")
        }
    }
}

extension Mistake {
    /// The file can't even be opened.
    var isUnreadable: Bool { message.hasPrefix("can't be read:") }
}

/// Constraints that a value from the command line can meet, in words.
private let rules = [
    "tenant_name_is_a_word":
        "a tenant's name is 1 to 63 of a-z, 0-9, _ . and -, and begins with a letter or digit",
    "user_key_is_1_to_255_printable_characters": "a user's key is 1 to 255 printable characters",
    "secret_name_is_a_word":
        "a secret's name is 1 to 63 of a-z, 0-9 and _, and doesn't begin with a digit",
    "source_base_is_a_web_address":
        "a source's address is http:// or https://, a host and perhaps a path, without query or"
        + " credentials",
]

/// White space squeezed, so that libpq's paragraphs stay on one line.
private func oneLine(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
}
