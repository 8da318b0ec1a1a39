import CLibPQ
import Glibc

/// The answer to one statement: its rows and its command tag.
public struct Rows: Sendable, RandomAccessCollection {
    private let result: ResultHandle
    private let rowCount: Int

    init(_ result: ResultHandle) {
        self.result = result
        rowCount = Int(PQntuples(result.pointer))
    }

    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of rows.
    public var endIndex: Int { rowCount }

    /// The row at a position from 0.
    public subscript(position: Int) -> Row {
        precondition(position >= 0 && position < rowCount, "no row \(position) of \(rowCount)")
        return Row(result: result, position: Int32(position))
    }

    /// Rows inserted, updated, deleted, selected or copied; 0 for other commands.
    public var affected: Int {
        PQcmdTuples(result.pointer).flatMap { Int(String(cString: $0)) } ?? 0
    }

    /// What the server says it did, as `INSERT 0 3`.
    public var commandTag: String { result.commandTag }

    /// The columns' names in their order.
    public var columns: [String] {
        (0..<PQnfields(result.pointer)).map {
            PQfname(result.pointer, $0).map { String(cString: $0) } ?? ""
        }
    }

    /// The only row; throws `.decoding` when there is none or more than one.
    public func only() throws -> Row {
        guard rowCount == 1 else {
            throw DatabaseError(.decoding, "expected one row, not \(rowCount)")
        }
        return self[0]
    }
}

/// A column by name, or faster by position from 0: `row.int("id")`, `row.int(0)`.
public enum Column: Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    case name(String)
    case index(Int)

    /// A column by its name.
    public init(stringLiteral name: String) { self = .name(name) }

    /// A column by its position.
    public init(integerLiteral index: Int) { self = .index(index) }
}

/// One row of an answer; it may outlive the session and go to any task.
public struct Row: Sendable {
    fileprivate let result: ResultHandle
    fileprivate let position: Int32
}

/// One value as it came: binary, valid while its row is held.
struct ColumnValue {
    let bytes: UnsafeRawBufferPointer
    let oid: UInt32
    fileprivate let result: OpaquePointer
    fileprivate let index: Int32

    /// An element of this array.
    func inner(_ bytes: UnsafeRawBufferPointer, _ oid: UInt32) -> ColumnValue {
        ColumnValue(bytes: bytes, oid: oid, result: result, index: index)
    }

    /// For errors: made only there.
    var column: String { PQfname(result, index).map { String(cString: $0) } ?? "" }
}

extension Row {
    /// Reads a value with `decode`; nil for null.
    ///
    /// Throws `.decoding` for an unknown column.
    func read<T>(_ column: Column, _ decode: (ColumnValue) throws -> T) throws -> T? {
        let index = try index(of: column)
        let pointer = result.pointer
        guard PQgetisnull(pointer, position, index) == 0 else { return nil }
        let length = Int(PQgetlength(pointer, position, index))
        let bytes = UnsafeRawBufferPointer(
            start: PQgetvalue(pointer, position, index), count: length)
        return try withExtendedLifetime(result) {
            try decode(
                ColumnValue(
                    bytes: bytes, oid: PQftype(pointer, index), result: pointer, index: index))
        }
    }

    /// As `read`, but null throws `.decoding`.
    func require<T>(_ column: Column, _ decode: (ColumnValue) throws -> T) throws -> T {
        guard let value = try read(column, decode) else {
            throw DatabaseError(.decoding, "column \(label(column)) is null")
        }
        return value
    }

    /// True when the column is null.
    public func isNull(_ column: Column) throws -> Bool {
        PQgetisnull(result.pointer, position, try index(of: column)) != 0
    }

    private func index(of column: Column) throws -> Int32 {
        let count = PQnfields(result.pointer)
        switch column {
        case .index(let index):
            guard index >= 0, index < Int(count) else { break }
            return Int32(index)
        case .name(let name):
            for index in 0..<count {
                guard let known = PQfname(result.pointer, index) else { continue }
                if name.withCString({ strcmp(known, $0) }) == 0 { return index }
            }
        }
        throw DatabaseError(.decoding, "there is no column \(label(column))")
    }

    private func label(_ column: Column) -> String {
        switch column {
        case .name(let name): name
        case .index(let index): "#\(index)"
        }
    }
}
