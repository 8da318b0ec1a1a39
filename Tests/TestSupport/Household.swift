public import Postgres

/// A database with the product's schema, as a test asks and changes it.
public protocol Household: Sendable {
    /// Where it is asked.
    var pool: Database { get }
}

extension Database: Household {
    /// Itself.
    public var pool: Database { self }
}

extension Household {
    /// Makes it so, in one transaction.
    public func given(_ words: Given...) async throws {
        try await script(words.map(\.description).joined(separator: "\n"))
    }

    /// Runs statements, in one transaction unless they say another.
    public func script(_ sql: String) async throws {
        try await pool.run { try $0.script(sql) }
    }

    /// Runs one statement.
    @discardableResult
    public func sql(_ text: String, _ binds: Bind...) async throws -> Rows {
        try await pool.run { try $0.query(Statement(text, binds: binds, cached: false)) }
    }

    /// The first column of every row as text, `null` for null.
    public func texts(_ query: String, _ binds: Bind...) async throws -> [String] {
        try await texts(query, binds: binds)
    }

    /// The first column of the only row as text, `null` for null.
    public func text(_ query: String, _ binds: Bind...) async throws -> String {
        let found = try await texts(query, binds: binds)
        guard let only = found.first, found.count == 1 else { throw NotOneRow(query: query) }
        return only
    }

    /// The first column of the only row.
    public func int(_ query: String, _ binds: Bind...) async throws -> Int {
        let statement = Statement(query, binds: binds, cached: false)
        return try await pool.run { try $0.query(statement).only().int(0) }
    }

    /// The only value of an expression, as text; nil for null or no row.
    public func value(_ expression: String, _ binds: Bind...) async throws -> String? {
        let statement = Statement("select (\(expression))::text", binds: binds, cached: false)
        return try await pool.run { try $0.query(statement).first?.optionalText(0) }
    }

    /// Runs one statement and returns the SQLSTATE it is refused with; nil when it is not.
    public func refusal(_ text: String, _ binds: Bind...) async throws -> String? {
        let statement = Statement(text, binds: binds, cached: false)
        do {
            _ = try await pool.run { try $0.query(statement) }
            return nil
        } catch let error as DatabaseError {
            return error.sqlstate
        }
    }

    private func texts(_ query: String, binds: [Bind]) async throws -> [String] {
        let statement = Statement(
            "select (q.x)::text from (\(query)) as q (x)", binds: binds, cached: false)
        return try await pool.run { session in
            try session.query(statement).map { try $0.optionalText(0) ?? "null" }
        }
    }
}

/// A query that should have found one row.
struct NotOneRow: Error { let query: String }
