import JSON
import Postgres

/// What `explain (analyze, buffers, format json)` says of a statement as a whole.
struct Plan: Sendable {
    /// Shared buffers found or read.
    var buffers: Double
    /// Planning apart.
    var milliseconds: Double
    let json: JSONValue

    /// Reads the server's answer; throws `BenchError`.
    init(_ text: String) throws {
        let document = try JSONDocument(parsing: Array(text.utf8))
        guard let value = document.root.value, let top = value.elements?.first,
            let node = top["Plan"],
            let time = top["Execution Time"]?.numberText.flatMap({ Double($0) })
        else { throw BenchError("explain did not answer with a plan") }
        func count(_ name: String) -> Double {
            node[name]?.numberText.flatMap { Double($0) } ?? 0
        }
        // A node's blocks hold those of the nodes and functions below it.
        buffers = count("Shared Hit Blocks") + count("Shared Read Blocks")
        milliseconds = time
        json = value
    }
}

extension Session {
    /// Runs a statement and tells what it took; a transaction around it decides what stays.
    func explain(_ sql: String, _ binds: [Bind] = []) throws -> Plan {
        let rows = try query(
            Statement(
                "explain (analyze, buffers, format json) \(sql)", binds: binds, cached: false))
        return try Plan(rows.only().json(0))
    }
}
