extension Form where Value == [ListTable] {
    static let lists = named(\.name, Mapping<ListTable>.list.form)
}

extension Mapping where Model == ListTable {
    fileprivate static let list = Mapping(
        "list",
        "A local list of ids for each user: `synced.<table>(user_id, <column>)`, which the application fills.",
        blank: ListTable(name: "", table: "", column: "")
    ) {
        required("table", \.table, .name, "The table in schema `synced`.")
        required("column", \.column, .column, "The text column that holds the ids.")
        usual(
            "columns", \.columns, .named(\.name, .kind, isColumn),
            """
            What else the application knows of an item, by column. The table then has `inserted_at`, \
            `last_modified` and `synced` as well: `synced` is false until a call has sent the item.
            """)
        optional(
            "debounce", \.debounce, .duration(.zero ... .hours(1)),
            without: "changes wait for the schedule",
            "A change by `edit_list` or `replace_list` makes the job due after this span.")
    } check: { place, list in
        if list.columns.contains(where: { $0.name == list.column }) {
            place["columns"]?.report(list.column, "column \"\(list.column)\" holds the ids already")
        }
    }
}

extension Form where Value == ListField {
    fileprivate static let kind = Form<Field.Kind>.word("type").map(
        { kind, _ -> ListField? in ListField(name: "", kind: kind) }, back: \.kind)
}

extension Form where Value == String {
    /// Of a column of a synced table.
    static let column = text(.name) { node, reading in
        reading.text(node).flatMap {
            reading.isColumn($0, at: node.position, node.path) ? $0 : nil
        }
    }
}

@Sendable private func isColumn(_ entry: Node.Entry, _ reading: NodeReading) -> Bool {
    reading.isColumn(entry.key, at: entry.position, entry.value.path)
}

extension Form where Value == [Store] {
    /// A store may be of a table that another file fills, so only a near miss is a mistake.
    static let stores = named(\.table, Mapping<Store>.store.form) { entry, reading in
        guard reading.isName(entry.key, at: entry.position, entry.value.path) else { return false }
        if let tables = reading.scope.tables, !tables.contains(entry.key),
            let nearest = nearestWord(to: entry.key, in: tables)
        {
            reading.add(
                entry.position, entry.value.path,
                "unknown table \"\(entry.key)\"; did you mean \"\(nearest)\"?", nearest: nearest)
        }
        return true
    }
}

extension Mapping where Model == Store {
    fileprivate static let store = Mapping(
        "store", "What kind of data a table holds.", blank: Store(table: "", kind: .synced)
    ) {
        required(
            "kind", \.kind, .word("kind"),
            """
            `synced` is a user's own data: it is never dropped, deleted as a whole or changed, only \
            added to, so it has no `replace_all`, and only fields of the key, of `unique.by` and `newer_by` may be `required`. \
            `disposable` is a cache: it is dropped, made and fetched again when it does not fit, \
            so it has no `push`.
            """)
    }
}
