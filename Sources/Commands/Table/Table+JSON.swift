import JSON
import Telemetry

extension Table {
    /// An array with an object for each row.
    var jsonValue: JSONValue {
        .array(
            rows.map { row in
                .object(zip(columns, row).map { column, value in JSONMember(column.name, value) })
            })
    }

    /// `jsonValue` as one line.
    func json() -> String { serialised(jsonValue) + "\n" }
}

/// Compact JSON, with controls and marks of reading direction escaped.
func serialised(_ value: JSONValue) -> String {
    switch value {
    case .null: "null"
    case .bool(let yes): yes ? "true" : "false"
    case .number(let number): number
    case .string(let text): "\"\(Escaping.escaped(text))\""
    case .array(let values): "[" + values.map(serialised).joined(separator: ",") + "]"
    case .object(let members):
        "{"
            + members.map { "\"\(Escaping.escaped($0.name))\":\(serialised($0.value))" }
            .joined(separator: ",") + "}"
    }
}
