/// What went wrong between this process and PostgreSQL.
///
/// `description` is fit for logs: it holds the SQL text but never a bind value or a password.
/// `message` and `detail` are the server's own words and may quote data.
public struct DatabaseError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure a caller decides by.
    public enum Code: Sendable, Equatable {
        /// The server refused the statement with this SQLSTATE; the session lives on.
        case server(String)
        /// The connection broke under a statement, whose effect is unknown unless it was in a
        /// transaction whose `commit` had not been sent.
        case connectionLost
        /// No connection could be made, or the body goes on using a lost one.
        case notConnected
        /// The deadline passed; the statement was cancelled.
        case timedOut
        /// The task was cancelled, or the database closed before the work began.
        case cancelled
        /// The reply to `commit` was lost: ask the database whether it happened.
        case commitUnknown
        /// `commit` was answered with the tag ROLLBACK: nothing of the transaction was kept.
        case rolledBackAtCommit
        /// A value did not have the expected type, or was null.
        case decoding
        /// The caller broke a rule of this library.
        case misuse
        /// The connection settings can't be understood.
        case invalidConfiguration
    }

    /// What a caller decides by.
    public let code: Code
    /// The server's SQLSTATE, also when the connection was lost with a parting error (57P01).
    public let sqlstate: String?
    /// The primary message; for data errors it may quote the data.
    public let message: String
    /// What the server added; may quote a row.
    public private(set) var detail: String?
    /// The server's advice.
    public private(set) var hint: String?
    /// The constraint that was violated.
    public private(set) var constraint: String?
    /// The table it concerns.
    public private(set) var table: String?
    /// The column it concerns.
    public private(set) var column: String?
    /// Where in the SQL text, in characters from 1.
    public private(set) var position: Int?
    /// The SQL text, without bind values.
    public private(set) var statement: String?
    /// Which statement of a pipeline or transaction turn failed, from 0; nil at commit time.
    public private(set) var statementIndex: Int?

    init(_ code: Code, _ message: String, sqlstate: String? = nil) {
        self.code = code
        self.message = message
        if case .server(let state) = code {
            self.sqlstate = state
        } else {
            self.sqlstate = sqlstate
        }
    }

    /// One line for logs, without bind values.
    public var description: String {
        var line = "\(label): \(isDataError ? redactingQuoted(message) : message)"
        if let constraint { line += "; constraint \(constraint)" }
        if let table { line += "; table \(table)" }
        if let column { line += "; column \(column)" }
        if let statementIndex { line += "; statement #\(statementIndex)" }
        if let statement { line += "; in: \(oneLine(statement, limit: 200))" }
        return line
    }

    /// True when the data was refused (class 22, or one row touched twice: 21000).
    ///
    /// The message may quote the data then.
    public var isDataError: Bool {
        guard case .server(let state) = code else { return false }
        return state.hasPrefix("22") || state == "21000"
    }

    private var label: String {
        switch code {
        case .server(let state): "server error \(state)"
        case .connectionLost: "connection lost" + (sqlstate.map { " (\($0))" } ?? "")
        case .notConnected: "not connected" + (sqlstate.map { " (\($0))" } ?? "")
        case .timedOut: "timed out"
        case .cancelled: "cancelled"
        case .commitUnknown: "commit unknown"
        case .rolledBackAtCommit: "rolled back at commit"
        case .decoding: "decoding"
        case .misuse: "misuse"
        case .invalidConfiguration: "invalid configuration"
        }
    }
}

extension DatabaseError {
    /// The fields of the server's report.
    struct Fields {
        var detail: String?
        var hint: String?
        var constraint: String?
        var table: String?
        var column: String?
        var position: Int?
    }

    func with(_ fields: Fields) -> DatabaseError {
        var error = self
        error.detail = fields.detail
        error.hint = fields.hint
        error.constraint = fields.constraint
        error.table = fields.table
        error.column = fields.column
        error.position = fields.position
        return error
    }

    func at(_ statement: String?, index: Int? = nil) -> DatabaseError {
        var error = self
        error.statement = statement
        error.statementIndex = index
        return error
    }

    /// The same report under another code, as when a cancel of ours is the cause.
    func recoded(_ code: Code) -> DatabaseError {
        DatabaseError(code, message, sqlstate: sqlstate)
            .with(
                Fields(
                    detail: detail, hint: hint, constraint: constraint, table: table,
                    column: column, position: position)
            )
            .at(statement, index: statementIndex)
    }
}

/// Replaces what stands between double quotes, where servers put the data they complain about.
func redactingQuoted(_ text: String) -> String {
    // Byte by byte: data that begins with a combining mark makes one Character with the quote.
    let bytes = Array(text.utf8)
    let quote = UInt8(ascii: "\"")
    guard let first = bytes.firstIndex(of: quote), let last = bytes.lastIndex(of: quote),
        first < last
    else { return text }
    return String(decoding: bytes[..<first], as: UTF8.self) + "\"…\""
        + String(decoding: bytes[(last + 1)...], as: UTF8.self)
}

/// Squeezes white space and cuts the text, so that an error stays on one line.
func oneLine(_ text: String, limit: Int) -> String {
    let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return line.count <= limit ? line : line.prefix(limit) + "…"
}
