import JobFiles
import Reading

/// The rows of a page in a statement's text: an array for each column, of which `unnest` makes rows.
struct PageRows {
    /// The names of a row's fields that could not be read, in tables whose rows are sent back.
    private static let unreadColumn = quoted("unread_fields")

    private let entity: Entity
    /// Number of the first bind that is an array; before it stand those of the checkpoint and the counters.
    private let firstArray: Int
    let columns: [String]

    init(_ entity: Entity, firstArray: Int) {
        self.entity = entity
        self.firstArray = firstArray
        columns =
            entity.records.fields.map { quoted($0.name) }
            + (entity.push == nil ? [] : [Self.unreadColumn])
    }

    /// The page's rows as they came.
    var received: String {
        "unnest(\(arrays)) as r (\((actionColumn + columns).joined(separator: ", ")))"
    }

    /// Only some columns of them, with what becomes of each.
    func received(_ names: [String], as row: String) -> String {
        let positions = names.compactMap { name in columns.firstIndex(of: name) }
        let arrays = positions.map { arrayBind($0) }
        return "unnest(\(([actionArray] + arrays).joined(separator: ", "))) as \(row) "
            + "(\((["\"Action\""] + names).joined(separator: ", ")))"
    }

    /// The condition that a row is to be written, between two texts; nothing where all are.
    func isToWrite(_ row: String, _ before: String, _ after: String = "") -> String {
        entity.hasRowActions
            ? "\(before)\(row).\"Action\" = \(RowAction.write.rawValue)\(after)" : ""
    }

    private var actionArray: String { "$\(firstArray)::int[]" }

    private func arrayBind(_ column: Int) -> String {
        let first = firstArray + (entity.hasRowActions ? 1 : 0)
        let type =
            columns[column] == Self.unreadColumn ? "text" : entity.records.fields[column].arrayType
        return "$\(first + column)::\(type)[]"
    }

    private var arrays: String {
        ((entity.hasRowActions ? [actionArray] : []) + columns.indices.map(arrayBind))
            .joined(separator: ", ")
    }

    /// The columns' values, each of its column's type.
    var values: String {
        columns.map { "r.\($0)\(cast($0))" }.joined(separator: ", ")
    }

    /// JSON travels as text and is cast last, so that what is not written is not parsed.
    func cast(_ column: String) -> String {
        column == Self.unreadColumn ? "::text[]" : isJSON(column) ? "::jsonb" : ""
    }

    func isJSON(_ column: String) -> Bool {
        entity.records.fields.contains { quoted($0.name) == column && $0.kind == .json }
    }

    private var actionColumn: [String] { entity.hasRowActions ? ["\"Action\""] : [] }
}
