import JSON

extension Table {
    /// An array with an object for each row.
    var jsonValue: JSONValue {
        .array(
            rows.map { row in
                .object(zip(columns, row).map { column, value in JSONMember(column.name, value) })
            })
    }

    /// `jsonValue` as one line.
    func json() -> String { jsonValue.text + "\n" }
}
