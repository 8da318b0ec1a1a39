public import JSON
import Postgres

/// How many rows of one sort a removal took.
public struct RemovedRows: Sendable, Equatable {
    /// In words, such as `jobs` or `rows of synced.videos`.
    public var what: String
    /// Never 0.
    public var count: Int
}

/// What a removal took, as its deletes have counted it.
public struct RemovalReceipt: Sendable, Equatable {
    /// The receipt itself, for whoever keeps it.
    public var json: JSONValue

    /// What there was, empty sorts left out.
    public var rows: [RemovedRows] {
        let sorts = ["users", "secrets", "jobs", "checkpoints", "runs"].map { name in
            RemovedRows(what: name, count: json[name]?.int ?? 0)
        }
        let tables = (json["rows"]?.members ?? []).map { table in
            RemovedRows(what: "rows of synced.\(table.name)", count: table.value.int ?? 0)
        }
        return (sorts + tables.sorted { $0.what < $1.what }).filter { $0.count > 0 }
    }
}

extension Queue {
    /// Removes a user and all that is its own.
    public func removeUser(tenant: String, key: String) async throws -> RemovalReceipt {
        try await removal(
            Statement("select jobrunner.remove_user($1, $2)", .text(tenant), .text(key)))
    }

    /// Removes a tenant, its users and all that is theirs.
    public func removeTenant(_ name: String) async throws -> RemovalReceipt {
        try await removal(Statement("select jobrunner.remove_tenant($1)", .text(name)))
    }

    private func removal(_ statement: Statement) async throws -> RemovalReceipt {
        try await call(statement) { rows in
            RemovalReceipt(json: try parse(rows.only().json(0)).value ?? .null)
        }
    }
}
