import JSON
import Telemetry

/// Rows for people, in aligned columns, or for machines, in JSON.
struct Table {
    struct Column {
        enum Style {
            case plain
            /// ISO 8601 in UTC; people see it to the second.
            case time
            /// A number of seconds; people see a few words.
            case span
        }

        /// Also the member's name in JSON: `last_success`.
        let name: String
        /// What people see instead of the name.
        var heading: String?
        /// Numbers stand at the right.
        var alignsRight = false
        var style = Style.plain
        /// Only in JSON.
        var isDetail = false

        static func text(_ name: String, _ heading: String? = nil) -> Column {
            Column(name: name, heading: heading)
        }
        static func number(_ name: String, _ heading: String? = nil) -> Column {
            Column(name: name, heading: heading, alignsRight: true)
        }
        static func time(_ name: String, _ heading: String? = nil) -> Column {
            Column(name: name, heading: heading, style: .time)
        }
        static func span(_ name: String, _ heading: String) -> Column {
            Column(name: name, heading: heading, alignsRight: true, style: .span)
        }
        static func detail(_ name: String) -> Column { Column(name: name, isDetail: true) }
    }

    let columns: [Column]
    private(set) var rows: [[JSONValue]] = []

    init(_ columns: [Column]) {
        self.columns = columns
    }

    /// A table of objects; a column takes the member of its name.
    init(_ columns: [Column], of objects: [JSONValue]) {
        self.columns = columns
        rows = objects.map { object in columns.map { object[$0.name] ?? .null } }
    }

    /// Adds a row with a value for each column; `null` for people is `–`.
    mutating func add(_ row: [JSONValue]) {
        precondition(row.count == columns.count, "a row has a value for each column")
        rows.append(row)
    }

    /// The lines with the heading, each ended by a newline and with no space before it.
    func text() -> String {
        let shown = columns.indices.filter { !columns[$0].isDetail }
        let heading = shown.map { columns[$0].title }
        let lines =
            [heading]
            + rows.map { row in shown.map { cellText(row[$0], columns[$0].style) } }
        let widths = shown.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        return lines.map { line in
            let cells = shown.indices.map { cell in
                padded(line[cell], widths[cell], right: columns[shown[cell]].alignsRight)
            }
            var text = cells.joined(separator: "  ")
            while text.last == " " { text.removeLast() }
            return text + "\n"
        }.joined()
    }
}

extension Table.Column {
    fileprivate var title: String { (heading ?? name).uppercased().replacing("_", with: " ") }
}

private func cellText(_ value: JSONValue, _ style: Table.Column.Style) -> String {
    switch (style, value) {
    case (.time, .string(let time)):
        Escaping.readable(String(time.prefix(19).map { $0 == "T" ? " " : $0 }))
    case (.span, .number(let number)):
        Double(number).map { spanWords(seconds: $0) } ?? number
    default: cellText(value)
    }
}

private func cellText(_ value: JSONValue) -> String {
    switch value {
    case .null: "–"
    case .object(let members) where members.isEmpty: "–"
    case .bool(let yes): yes ? "yes" : "no"
    case .number(let number): number
    case .string(let text): Escaping.readable(text)
    case .array(let values) where values.isEmpty: "–"
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
