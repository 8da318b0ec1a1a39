import JSON
import Telemetry

/// Rows for people, in aligned columns, or for machines, in JSON.
struct Table {
    struct Column {
        enum Style {
            case plain
            /// Sentences and the like, which no command takes: a narrow window may cut them.
            case prose
            /// ISO 8601 in UTC; people see it to the second, and the zone in the heading.
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

        /// What commands take, such as a tenant or an outcome; never cut.
        static func name(_ name: String, _ heading: String? = nil) -> Column {
            Column(name: name, heading: heading)
        }
        static func prose(_ name: String, _ heading: String? = nil) -> Column {
            Column(name: name, heading: heading, style: .prose)
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
    ///
    /// Prose is cut as far as it takes for lines of that width; nil means that nothing is.
    func text(width: Int? = nil) -> String {
        let shown = columns.filter { !$0.isDetail }
        let places = columns.indices.filter { !columns[$0].isDetail }
        let lines =
            [shown.map(\.title)]
            + rows.map { row in places.map { cellText(row[$0], columns[$0].style) } }
        var widths = shown.indices.map { column in
            lines.map { displayWidth($0[column]) }.max() ?? 0
        }
        if let width { fit(&widths, shown, to: width) }
        return lines.map { line in
            let cells = shown.indices.map { cell in
                padded(cut(line[cell], widths[cell]), widths[cell], right: shown[cell].alignsRight)
            }
            var text = cells.joined(separator: gap)
            while text.last == " " { text.removeLast() }
            return text + "\n"
        }.joined()
    }
}

/// Between two columns.
private let gap = "  "

/// Less of a sentence says nothing.
private let proseMin = 8

/// Takes from the widest prose until the line fits, or all prose is as narrow as its heading.
private func fit(_ widths: inout [Int], _ columns: [Table.Column], to width: Int) {
    var excess = widths.reduce(0, +) + gap.count * (columns.count - 1) - width
    let least = columns.map { max(proseMin, displayWidth($0.title)) }
    while excess > 0 {
        let cuttable = columns.indices.filter {
            columns[$0].style == .prose && widths[$0] > least[$0]
        }
        guard let widest = cuttable.max(by: { widths[$0] < widths[$1] }) else { return }
        widths[widest] -= 1
        excess -= 1
    }
}

extension Table.Column {
    fileprivate var title: String {
        (heading ?? name).uppercased().replacing("_", with: " ") + (style == .time ? " (UTC)" : "")
    }
}

private func cellText(_ value: JSONValue, _ style: Table.Column.Style) -> String {
    switch (style, value) {
    case (.time, .string(let time)): Escaping.readable(secondWords(time))
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
    let space = String(repeating: " ", count: max(0, width - displayWidth(text)))
    return right ? space + text : text + space
}

/// The beginning of a text that takes more columns than that, with an ellipsis for the rest.
private func cut(_ text: String, _ width: Int) -> String {
    guard displayWidth(text) > width else { return text }
    var room = width - 1
    let kept = text.prefix { character in
        room -= displayWidth(String(character))
        return room >= 0
    }
    return kept + "…"
}
