/// What the items of a `for_each` and the rest of an entity must agree on.
extension NodeReading {
    /// `columns`: nil where they could not be read.
    func checkItems(_ forEach: ForEach?, _ written: Node, _ columns: Columns?) {
        checkNames(forEach, written, columns)
        guard let forEach, let node = written["for_each"] else { return }
        let nodes = node.elements.isEmpty ? [node] : node.elements
        if let fallback = written["incremental"]?["fallback"] {
            add(
                fallback,
                "what is older than the job's last success would never be read of an item that comes later; leave fallback out"
            )
        }
        for (source, node) in zip(forEach.sources, nodes) {
            checkSent(source, node)
            if case .rows(let rows) = source.origin { checkRows(rows, node, columns) }
        }
    }

    /// Each `{each.x}`, sent or stored, is a name of an item.
    private func checkNames(_ forEach: ForEach?, _ written: Node, _ columns: Columns?) {
        let known = forEach?.names ?? []
        for use in scope.entity?.uses ?? [] {
            guard case .each(let name)? = use.placeholder, !known.contains(name), forEach != nil
            else { continue }
            addUnknown("item", name, known: known, at: use.node)
        }
        for field in columns?.fields ?? [] {
            guard case .item(let name)? = field.made, !known.contains(name),
                let node = written["records"]?["fields"]?[field.name]?["each"]
            else { continue }
            if forEach == nil {
                add(node, "there is no for_each whose item this could be")
            } else {
                addUnknown("item", name, known: known, at: node)
            }
        }
    }

    /// What is not sent makes every pass read the same.
    private func checkSent(_ source: ItemSource, _ node: Node) {
        guard let uses = scope.entity?.uses, uses.allSatisfy({ $0.placeholder != nil }) else {
            return
        }
        let wanted: [Placeholder] =
            node["chunk"] == nil ? source.names.filter { !$0.isEmpty }.map { .each($0) } : [.chunk]
        if uses.contains(where: { $0.placeholder.map(wanted.contains) ?? false }) { return }
        guard let first = wanted.first else { return }
        add(node, "for_each, but \(first) is never sent; every pass would read the same")
    }

    private func checkRows(_ rows: ItemRows, _ node: Node, _ columns: Columns?) {
        guard let parent = scope.entities.first(where: { $0.name == rows.entity }) else {
            if let location = node["rows"] {
                addUnknown(
                    "entity before this one", rows.entity, known: scope.entities.map(\.name),
                    at: location)
            }
            return
        }
        if !parent.isEnabled, let location = node["rows"] {
            add(location, "entity \(parent.name) is not enabled, so that its rows stay as they are")
        }
        let known = parent.records.fields.map(\.name)
        for (name, location) in zip(rows.columns, node["columns"]?.elements ?? []) {
            guard let column = parent.records.field(named: name) else {
                addUnknown("column of \(parent.name)", name, known: known, at: location)
                continue
            }
            if ![.text, .url, .int, .decimal, .bool].contains(column.kind) {
                add(
                    location,
                    "an item is a text, url, int, decimal or bool, \"\(name)\" is \(column.kind.rawValue)"
                )
            }
            for field in columns?.fields ?? []
            where field.made == .item(name) && field.kind != column.kind {
                add(
                    location,
                    "\"\(name)\" is \(column.kind.rawValue), the field that keeps it is \(field.kind.rawValue)"
                )
            }
        }
    }
}

extension Entity {
    /// Why a full pass does not show all that it should for a sweep of its item's rows; nil when it does.
    var reasonAgainstItemSweep: String? {
        guard let forEach else { return nil }
        if forEach.chunk != nil { return "a pass of for_each shows one chunk only" }
        let kept = records.fields.compactMap { field -> String? in
            if case .item(let name)? = field.made { name } else { nil }
        }
        guard let lacking = forEach.names.first(where: { !kept.contains($0) }) else { return nil }
        return "no column says which item a row is of; add a field with each: \(lacking)"
    }
}
