import JSON
public import Postgres

/// A list table and its column.
public struct ListColumn: Sendable, Hashable {
    /// Table in schema `synced`.
    public var table: String
    /// Its column of ids.
    public var column: String

    /// Names `synced.<table>.<column>`.
    public init(table: String, column: String) {
        self.table = table
        self.column = column
    }

    /// Marks items that the source has been sent; for a transaction that begins with the claim's proof.
    public func markSent(_ items: [String], of claim: Claim) -> Statement {
        Statement(
            "select jobrunner.mark_items_sent($1, $2, $3, $4)", .int8(claim.userID), .text(table),
            .text(column), .textArray(items))
    }
}

/// What a batch asks of one tenant's source.
public struct BudgetRequest: Sendable, Hashable {
    /// Number of the tenant.
    public var tenantID: Int64
    /// Id of the source.
    public var source: String
    /// Requests the batch will need at least.
    public var requests: Int

    /// Asks for a number of requests.
    public init(tenantID: Int64, source: String, requests: Int) {
        self.tenantID = tenantID
        self.source = source
        self.requests = requests
    }
}

/// What a tenant's source answered: its address, the requests granted, and whether it is blocked.
public struct SourceGrant: Sendable, Equatable {
    /// Number of the tenant.
    public var tenantID: Int64
    /// Id of the source.
    public var source: String
    /// The tenant's own address for it; nil means the job file's.
    public var base: String?
    /// Requests granted.
    public var granted: Int
    /// The breaker is open for so long; nil means closed.
    ///
    /// Beside a request that is granted it is open but for one run, which probes.
    public var blocked: Duration?

    /// One run may ask, and finds out whether the others may.
    var isProbe: Bool { blocked != nil && granted > 0 }
}

/// Number and hash of a user's items in a list.
public struct ListState: Sendable, Equatable {
    /// Items in the list.
    public var count: Int
    /// Stands for exactly these items.
    public var hash: String
}

/// All that a batch of claimed runs must know before its first request.
public struct PreloadedRuns: Sendable {
    /// Per list, the users that have items.
    public var lists: [ListColumn: [Int64: ListState]] = [:]
    /// Per table, the users without a row.
    public var empty: [String: Set<Int64>] = [:]
    /// Per table with push, the users with edits or deletions that the source has not got.
    public var dirty: [String: Set<Int64>] = [:]
    /// What each tenant's source answered.
    public var sources: [SourceGrant] = []
    /// Why the server told nothing of this; nil when it did.
    public var refusal: DatabaseError?

    /// What a tenant's source answered, under the first of its names that it answered to.
    ///
    /// Who asks for one with a host is answered under the plain name where the tenant has an address of its own.
    public func grants(of names: [String], tenant: Int64) -> [SourceGrant] {
        for name in names {
            let found = sources.filter { $0.tenantID == tenant && $0.source == name }
            if !found.isEmpty { return found }
        }
        return []
    }

    /// Stands for the tenant's source, when one run of it may probe it.
    public func probe(of names: [String], tenant: Int64) -> BudgetRequest? {
        grants(of: names, tenant: tenant).first(where: \.isProbe).map {
            BudgetRequest(tenantID: tenant, source: $0.source, requests: 1)
        }
    }

    /// Of runs that need not know anything, or could not be told.
    public init(refusal: DatabaseError? = nil) { self.refusal = refusal }
}

extension Queue {
    /// Reads lists, empty tables, unsent edits, budgets and breakers for a batch, in one statement.
    public func preloadRuns(
        users: [Int64], lists: [ListColumn], tables: [String], sources: [BudgetRequest],
        dirtyTables: [String] = []
    ) async throws -> PreloadedRuns {
        let listsText = JSONValue.array(
            lists.map {
                .object([
                    JSONMember("table", .string($0.table)),
                    JSONMember("column", .string($0.column)),
                ])
            }
        ).text
        let sourcesText = JSONValue.array(
            sources.map {
                .object([
                    JSONMember("tenant_id", .number(String($0.tenantID))),
                    JSONMember("source", .string($0.source)),
                    JSONMember("wanted", .number(String($0.requests))),
                ])
            }
        ).text
        let statement = Statement(
            "select jobrunner.preload_runs($1, $2, $3, $4, $5)", .int8Array(users),
            .json(listsText),
            .textArray(tables), .json(sourcesText), .textArray(dirtyTables))
        return try await call(statement) { rows in
            try PreloadedRuns(parse(rows.only().json(0)), lists: lists)
        }
    }

    /// Takes more of a source's budget for runs that need more than a batch took for them.
    public func takeBudget(_ request: BudgetRequest) async throws -> SourceGrant {
        let statement = Statement(
            "select * from jobrunner.take_budget($1, $2, $3)", .int8(request.tenantID),
            .text(request.source), .int4(Int32(clamping: request.requests)))
        return try await call(statement) { rows in
            let row = try rows.only()
            return SourceGrant(
                tenantID: request.tenantID, source: try row.text("source"),
                base: try row.optionalText("base"),
                granted: try row.int("granted"),
                blocked: blocked(milliseconds: try row.int("blocked_ms")))
        }
    }

    /// A user's items of a list, in order, and the hash that stands for exactly these.
    public func listItems(
        user: Int64, in list: ListColumn
    ) async throws -> (items: [String], hash: String) {
        let statement = Statement(
            "select * from jobrunner.list_of($1, $2, $3)", .int8(user), .text(list.table),
            .text(list.column))
        return try await call(statement) { rows in
            let row = try rows.only()
            return (try row.textArray("items").compactMap { $0 }, try row.text("hash"))
        }
    }
}

private func blocked(milliseconds: Int) -> Duration? {
    milliseconds > 0 ? .milliseconds(milliseconds) : nil
}

extension PreloadedRuns {
    fileprivate init(_ node: JSONNode, lists columns: [ListColumn]) {
        self.init()
        for column in columns {
            var states: [Int64: ListState] = [:]
            for (name, value) in node["lists"]?["\(column.table).\(column.column)"]?.pairs ?? [] {
                let parts = Array(value.elements)
                guard let user = Int64(name), parts.count == 2, let count = parts[0].int,
                    let hash = parts[1].string
                else { continue }
                states[user] = ListState(count: count, hash: hash)
            }
            lists[column] = states
        }
        for (table, users) in node["empty"]?.pairs ?? [] {
            empty[table] = Set(users.elements.compactMap { $0.int.map(Int64.init) })
        }
        for (table, users) in node["dirty"]?.pairs ?? [] {
            dirty[table] = Set(users.elements.compactMap { $0.int.map(Int64.init) })
        }
        sources = (node["sources"].map { Array($0.elements) } ?? []).compactMap { part in
            guard let tenant = part["tenant_id"]?.int, let source = part["source"]?.string else {
                return nil
            }
            return SourceGrant(
                tenantID: Int64(tenant), source: source, base: part["base"]?.string,
                granted: part["granted"]?.int ?? 0,
                blocked: blocked(milliseconds: part["blocked_ms"]?.int ?? 0))
        }
    }
}

extension JSONNode {
    /// Members with their names unescaped.
    fileprivate var pairs: [(String, JSONNode)] {
        members.compactMap { member in member.name.string.map { ($0, member.value) } }
    }
}
