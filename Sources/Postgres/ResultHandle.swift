import CLibPQ

/// One `PGresult`, cleared when the last reader lets go.
///
/// `@unchecked Sendable`: libpq never changes a result after it was handed over, only reads it.
final class ResultHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit { PQclear(pointer) }

    var status: ExecStatusType { PQresultStatus(pointer) }
    var commandTag: String { PQcmdStatus(pointer).map { String(cString: $0) } ?? "" }

    /// True for a report after which the server closes the connection.
    var isFatal: Bool { isFatalReport(pointer) }

    var sqlstate: String? { field(ReportField.sqlstate) }

    /// The server's report as an error; `.connectionLost` when libpq itself wrote it.
    var error: DatabaseError {
        let own = PQresultErrorMessage(pointer).map { String(cString: $0) } ?? ""
        let message = field(ReportField.message) ?? oneLine(own, limit: 500)
        let code = sqlstate.map { DatabaseError.Code.server($0) } ?? .connectionLost
        return DatabaseError(isFatal ? .connectionLost : code, message, sqlstate: sqlstate)
            .with(
                DatabaseError.Fields(
                    detail: field(ReportField.detail),
                    hint: field(ReportField.hint),
                    constraint: field(ReportField.constraint),
                    table: field(ReportField.table),
                    column: field(ReportField.column),
                    position: field(ReportField.position).flatMap { Int($0) }))
    }

    private func field(_ code: Int32) -> String? {
        PQresultErrorField(pointer, code).map { String(cString: $0) }
    }
}

/// True for a report of severity FATAL or PANIC, in whatever language the server speaks.
func isFatalReport(_ report: OpaquePointer) -> Bool {
    let severity = PQresultErrorField(report, ReportField.severity).map { String(cString: $0) }
    return severity == "FATAL" || severity == "PANIC"
}

/// `PG_DIAG_*` of postgres_ext.h, character macros that Swift can't import.
private enum ReportField {
    static let severity = Int32(UInt8(ascii: "V"))
    static let sqlstate = Int32(UInt8(ascii: "C"))
    static let message = Int32(UInt8(ascii: "M"))
    static let detail = Int32(UInt8(ascii: "D"))
    static let hint = Int32(UInt8(ascii: "H"))
    static let constraint = Int32(UInt8(ascii: "n"))
    static let table = Int32(UInt8(ascii: "t"))
    static let column = Int32(UInt8(ascii: "c"))
    static let position = Int32(UInt8(ascii: "P"))
}
