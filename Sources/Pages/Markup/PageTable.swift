import JSON

/// A table of a screen: its columns, and what each shows of a row.
struct PageTable {
    /// A column.
    struct Column {
        let title: String
        let isNumber: Bool
        let cell: (JSONValue) -> HTML

        init(_ title: String, isNumber: Bool = false, _ cell: @escaping (JSONValue) -> HTML) {
            self.title = title
            self.isNumber = isNumber
            self.cell = cell
        }

        static func text(_ title: String, _ name: String) -> Column {
            Column(title) { row in row.text(name).map { "\($0)" } ?? none }
        }
        static func time(_ title: String, _ name: String) -> Column {
            Column(title) { Pages.time($0[name]) }
        }
        static func number(_ title: String, _ name: String) -> Column {
            Column(title, isNumber: true) { Pages.number($0[name]) }
        }
        static func span(_ title: String, _ name: String) -> Column {
            Column(title, isNumber: true) { Pages.span($0[name]) }
        }
        static func state(_ title: String, _ name: String) -> Column {
            Column(title) { Pages.state($0.text(name)) }
        }
        /// A long text, of which the screen shows the beginning until it is opened.
        static func long(_ title: String, _ name: String) -> Column {
            Column(title) { row in longText(row.text(name)) }
        }
    }

    let caption: String
    let columns: [Column]
    /// What stands in the place of a table without rows.
    let empty: String

    /// The table; it can be scrolled by itself where the window is narrow.
    func html(_ rows: [JSONValue]) -> HTML {
        guard !rows.isEmpty else { return "<p class=\"empty\">\(empty)</p>" }
        let head = columns.map { column -> HTML in
            column.isNumber
                ? "<th scope=\"col\" class=\"number\">\(column.title)</th>"
                : "<th scope=\"col\">\(column.title)</th>"
        }
        let body = rows.map { row -> HTML in
            let cells = columns.map { column -> HTML in
                column.isNumber
                    ? "<td class=\"number\">\(column.cell(row))</td>"
                    : "<td>\(column.cell(row))</td>"
            }
            return "<tr>\(cells)</tr>\n"
        }
        return """
            <div class="scroll" tabindex="0" role="region" aria-label="\(caption)">
            <table><caption>\(caption)</caption><thead><tr>\(head)</tr></thead><tbody>
            \(body)</tbody></table></div>

            """
    }
}

/// A long text, of which the screen shows the beginning until it is opened.
func longText(_ text: String?) -> HTML {
    guard let text else { return none }
    guard text.count > 80 else { return "<span class=\"long\">\(text)</span>" }
    return """
        <details class="long"><summary>\(String(text.prefix(72)))…</summary><p>\(text)</p></details>
        """
}
