/// `write`: where records go, and what becomes of those that are one thing or are gone.
extension NodeReading {
    /// `columns` nil when they are not known, so nobody complains of them.
    func write(_ node: Node, columns: Columns?) -> Write? {
        guard let keys = Keys(node, self, of: WriteKey.self) else { return nil }
        let table = keys.name(.table)
        let mode = keys.word(.mode, as: Write.Mode.self)
        let newerBy = keys.text(.newerBy)
        if mode == .newestWins, keys[.newerBy] == nil {
            add(node, "mode newest_wins needs newer_by, the field that says which is newer")
        }
        let unique = keys[.unique].map { self.unique($0, columns) }
        let deletes = keys[.deletes].map { self.deletes($0, columns) }
        let indexes = keys.elements(.indexes)?
            .compactMap { columnNames(filledList($0), columns, noun: "an index") }
        guard let table, let mode else { return nil }
        return Write(
            table: table, mode: mode, newerBy: newerBy, unique: unique ?? nil,
            deletes: deletes ?? nil, indexes: indexes ?? [])
    }

    /// Mapped columns, each once, none of them `json`.
    private func columnNames(
        _ elements: [Node]?, _ columns: Columns?, noun: String
    ) -> [String]? {
        guard let elements, !elements.isEmpty else { return nil }
        var names: [String] = []
        for element in elements {
            guard let name = fieldName(element, names: columns?.names) else { continue }
            if names.contains(name) { add(element, "\"\(name)\" appears twice") }
            names.append(name)
            if columns?.field(named: name)?.kind == .json {
                add(element, "\(noun) can't hold a column of type json")
            }
        }
        return names
    }

    private func unique(_ node: Node, _ columns: Columns?) -> Unique? {
        guard let keys = Keys(node, self, of: UniqueKey.self) else { return nil }
        let byNode = keys[.by]
        let by = columnNames(keys.elements(.by), columns, noun: "unique")
        if let by, let byNode, let columns, Set(by) == Set(columns.key) {
            add(byNode, "the key tells these rows apart already; leave unique out")
        }
        let keep = keys.value(.keep).flatMap { self.keep($0, columns) }
        let merge = keys[.merge].flatMap { self.merge($0, columns, by: by ?? []) }
        let losers = keys.word(.losers, as: Unique.Losers.self)
        guard let by, let keep, let losers else { return nil }
        return Unique(
            by: by, keep: keep.0, keepField: keep.1, merge: merge ?? [], losers: losers)
    }

    private func keep(_ node: Node, _ columns: Columns?) -> (Unique.Keep, String)? {
        guard let keys = Keys(node, self, of: KeepKey.self), let (key, value) = keys.alternative(),
            let name = fieldName(value, names: columns?.names)
        else { return nil }
        if let kind = columns?.field(named: name)?.kind, kind != .timestamp {
            add(value, "\(key.rawValue) goes by a timestamp, \"\(name)\" is \(kind.rawValue)")
        }
        return (key.keep, name)
    }

    private func merge(_ node: Node, _ columns: Columns?, by: [String]) -> [Unique.Merge]? {
        entries(node)?.compactMap { entry in
            let path = entry.value.path
            if let columns, !columns.names.contains(entry.key) {
                let (hint, nearest) = suggestion(for: entry.key, in: columns.names)
                add(
                    entry.position, path, "unknown field \"\(excerpt(of: entry.key))\"; \(hint)",
                    nearest: nearest)
                return nil
            }
            guard let rule = word(entry.value, "rule", as: Unique.Rule.self) else { return nil }
            if columns?.key.contains(entry.key) == true || by.contains(entry.key) {
                add(
                    entry.position, path,
                    "\"\(entry.key)\" tells rows apart, so it can't be merged")
            }
            if let field = columns?.field(named: entry.key) {
                if field.meta != nil {
                    add(entry.position, path, "\"\(entry.key)\" is the source's own value")
                } else if !rule.fits(field.kind) {
                    add(
                        entry.value,
                        "\(rule.rawValue) does not fit type \(field.kind.rawValue) of field "
                            + "\"\(field.name)\"; expected \(Unique.Rule.words(for: field.kind))")
                }
            }
            return Unique.Merge(column: entry.key, rule: rule)
        }
    }

    private func deletes(_ node: Node, _ columns: Columns?) -> Deletes? {
        guard let keys = Keys(node, self, of: DeletesKey.self) else { return nil }
        let tombstones = keys.word(.tombstones)
        let unsent = keys.word(.unsent, as: Deletes.Unsent.self)
        let flag = keys[.flagAt].flatMap { innerPath($0) }
        let flagIs = keys[.flagIs].map { self.flag($0) } ?? .truth
        if let node = keys[.flagIs], keys[.flagAt] == nil {
            add(node, "flag_is says what stands at flag_at, which is missing")
        }
        let soft = keys[.softField].flatMap { softField($0, columns) }
        let sweeps = keys.word(.sweep) != nil
        let fraction = keys.double(.maxFraction)
        let confirmation = keys[.confirm].flatMap { self.confirmation($0, sweeps: sweeps) }
        guard let unsent, let flagIs else { return nil }
        return Deletes(
            appliesTombstones: tombstones != "ignore", unsent: unsent, flagAt: flag,
            flagIs: flagIs, softField: soft, sweeps: sweeps, maxFraction: fraction,
            confirmation: confirmation)
    }

    /// What stands at `flag_at`: a word for its sort, or the words that mean deleted.
    private func flag(_ node: Node) -> Deletes.Flag? {
        guard case .sequence = node.content else {
            let word = choice(node, "word", of: Deletes.Flag.names.map(\.key))
            return Deletes.Flag.names.first { $0.key == word }?.value
        }
        guard let words = filledList(node)?.compactMap({ text($0) }), !words.isEmpty else {
            return nil
        }
        if Set(words).count < words.count { add(node, "a word appears twice") }
        return .words(words)
    }

    private func confirmation(_ node: Node, sweeps: Bool) -> Confirmation? {
        guard let keys = Keys(node, self, of: ConfirmKey.self) else { return nil }
        let path = keys.value(.path).flatMap { requestPath($0, .row) }
        let gone = keys.ints(.gone)
        if !sweeps { add(node, "confirm has nothing to ask without sweep: after_full_pass") }
        guard let path else { return nil }
        let names = path.placeholders.compactMap { placeholder in
            if case .row(let name) = placeholder { name } else { nil }
        }
        if names.isEmpty, let location = node["path"] {
            add(
                location,
                "expected a placeholder {row.x}, so that each record has a path of its own")
        }
        return Confirmation(path: path, columns: names, gone: gone ?? [404, 410])
    }

    private func softField(_ node: Node, _ columns: Columns?) -> String? {
        guard let name = fieldName(node, names: columns?.names) else { return nil }
        if let kind = columns?.field(named: name)?.kind, kind != .timestamp {
            add(node, "soft_field must be a timestamp, \"\(name)\" is \(kind.rawValue)")
        }
        return name
    }
}

/// The columns of an entity, for the parts that name them.
struct Columns {
    /// Also of those that are malformed, so that nobody calls them unknown.
    var names: [String]
    /// Those that could be read.
    var fields: [Field]
    /// The names of the key.
    var key: [String]

    func field(named name: String) -> Field? { fields.first { $0.name == name } }
}

extension Unique.Rule {
    /// True where the rule makes one value of several of that type.
    func fits(_ kind: Field.Kind) -> Bool {
        switch self {
        case .or, .and: kind == .bool
        case .max, .min: [.int, .double, .decimal, .duration].contains(kind)
        case .oldest, .newest: kind == .timestamp
        }
    }

    /// The rules that fit a type, in words.
    static func words(for kind: Field.Kind) -> String {
        let words = allCases.filter { $0.fits(kind) }.map(\.rawValue)
        return words.isEmpty ? "a number, a bool or a timestamp" : words.joined(separator: " or ")
    }
}
