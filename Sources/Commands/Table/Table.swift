import JSON
import Telemetry

/// Rows for people, in aligned columns, or for machines, in JSON.
struct Table {
    struct Column {
        /// Also the member's name in JSON: `last_success`.
        let name: String
        /// Numbers stand at the right.
        var alignsRight = false
    }

    let columns: [Column]
    private(set) var rows: [[JSONValue]] = []

    init(_ columns: [Column]) {
        self.columns = columns
    }

    /// Adds a row with a value for each column; `null` for people is `–`.
    mutating func add(_ row: [JSONValue]) {
        precondition(row.count == columns.count, "a row has a value for each column")
        rows.append(row)
    }

    /// The lines with the heading, each ended by a newline and with no space before it.
    func text() -> String {
        let heading = columns.map { $0.name.uppercased().replacing("_", with: " ") }
        let lines = [heading] + rows.map { $0.map(cellText) }
        let widths = columns.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        return lines.map { line in
            let cells = columns.indices.map { column in
                padded(line[column], widths[column], right: columns[column].alignsRight)
            }
            var text = cells.joined(separator: "  ")
            while text.last == " " { text.removeLast() }
            return text + "\n"
        }.joined()
    }
}

private func cellText(_ value: JSONValue) -> String {
    switch value {
    case .null: "–"
    case .bool(let yes): yes ? "yes" : "no"
    case .number(let number): number
    case .string(let text): Escaping.readable(text)
    case .array(let values): values.map(cellText).joined(separator: ", ")
    case .object(let members):
        members.map { "\(Escaping.readable($0.name))=\(cellText($0.value))" }.joined(
            separator: ", ")
    }
}

private func padded(_ text: String, _ width: Int, right: Bool) -> String {
    let space = String(repeating: " ", count: width - text.count)
    return right ? space + text : text + space
}
