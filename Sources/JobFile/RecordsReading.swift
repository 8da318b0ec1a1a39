import JSON

/// `records` and `write`.
extension Reading {
    /// Columns every synced table has of its own.
    private static let reservedColumns = ["user_id", "inserted_at", "synced"]

    func records(_ node: Node, isPaged: Bool) -> Records? {
        guard let keys = Keys(node, self, known: ["at", "key", "fields", "keep_if"]) else {
            return nil
        }
        let atNode = keys.required("at")
        let at = atNode.flatMap { path($0, toOne: false) }
        if isPaged, let at, let atNode, !at.hasEach {
            add(
                atNode, "leads to one record, but pages hold many; did you mean \"\(at)[]\"?",
                nearest: "\(at)[]")
        }
        let fieldsNode = keys.required("fields")
        let fields = fieldsNode.flatMap { self.fields($0) }
        let names = fieldsNode?.keys
        let key = keys.required("key").flatMap { self.key($0, names: names, fields: fields ?? []) }
        let rules = keys["keep_if"].flatMap { list($0) }?
            .compactMap { keepRule($0, names: names, fields: fields ?? []) }
        guard let at, let fields, let key else { return nil }
        return Records(at: at, key: key, fields: fields, keepIf: rules ?? [])
    }

    private func fields(_ node: Node) -> [Field]? {
        guard let entries = entries(node) else { return nil }
        if entries.isEmpty { add(node, "expected at least one field") }
        return entries.compactMap { entry in
            guard isColumn(entry.key, at: entry.position, entry.value.path) else { return nil }
            return field(entry)
        }
    }

    /// Reports a name that can't be a column of a synced table.
    func isColumn(_ name: String, at position: Position, _ path: String) -> Bool {
        guard isName(name, at: position, path) else { return false }
        if Self.reservedColumns.contains(name) {
            add(position, path, "\"\(name)\" is a column every synced table has; use another name")
            return false
        }
        return true
    }

    private func field(_ entry: Node.Entry) -> Field? {
        let known = ["at", "type", "required", "default", "one_of"]
        guard let keys = Keys(entry.value, self, known: known) else { return nil }
        let at = keys.required("at").flatMap { path($0, toOne: true) }
        let kind = keys.required("type").flatMap { word($0, "type", as: Field.Kind.self) }
        let required = keys["required"].flatMap { bool($0) } ?? false
        if let node = keys["default"], required {
            add(node, "a required field has no default; a missing value skips the record")
        }
        let fallback = kind.flatMap { kind in keys["default"].flatMap { literal($0, for: kind) } }
        let texts = keys["one_of"].flatMap { oneOf($0, kind: kind) }
        if let node = keys["default"], let texts, let text = fallback?.string, !texts.contains(text)
        {
            addUnknown("value", text, known: texts, at: node)
        }
        guard let at, let kind else { return nil }
        return Field(
            name: entry.key, at: at, kind: kind, required: required, defaultValue: fallback,
            oneOf: texts, form: .plain, meta: nil)
    }

    private func oneOf(_ node: Node, kind: Field.Kind?) -> [String]? {
        if let kind, kind != .text {
            add(node, "one_of is for type text, not \(kind.rawValue)")
            return nil
        }
        let texts = filledList(node)?.compactMap { text($0) }
        if let texts, Set(texts).count < texts.count { add(node, "a value appears twice") }
        return texts
    }

    /// A value that the file gives in place of a record's, of the field's own type.
    func literal(_ node: Node, for kind: Field.Kind) -> JSONValue? {
        switch kind {
        case .text: return text(node).map { .string($0) }
        case .url:
            guard let text = text(node) else { return nil }
            let isURL = text.hasPrefix("https://") || text.hasPrefix("http://")
            if !isURL { add(node, "expected an http or https URL, found \(node.words)") }
            return .string(text)
        case .timestamp:
            guard let text = text(node) else { return nil }
            if !isTimestamp(text) {
                add(node, "expected a time such as \"2025-01-31T12:00:00Z\", found \(node.words)")
            }
            return .string(text)
        case .int: return int(node, .min ... .max).map { .integer($0) }
        case .double:
            guard let text = number(node, "a number") else { return nil }
            if Double(text)?.isFinite != true { add(node, "\(text) is too large for a double") }
            return .number(text)
        case .duration: return number(node, "a number of seconds").map { .number($0) }
        case .bool: return bool(node).map { .bool($0) }
        case .json: return json(node)
        }
    }

    private func key(_ node: Node, names: [String]?, fields: [Field]) -> [String]? {
        guard let elements = filledList(node) else { return nil }
        var key: [String] = []
        for element in elements {
            guard let name = fieldName(element, names: names) else { continue }
            if key.contains(name) { add(element, "\"\(name)\" appears twice") }
            key.append(name)
            guard let field = fields.first(where: { $0.name == name }) else { continue }
            if !field.required {
                add(element, "key field \"\(name)\" must be required: true")
            }
            if field.kind == .json { add(element, "a key field can't be of type json") }
        }
        return key
    }

    /// The name of a mapped field.
    func fieldName(_ node: Node, names: [String]?) -> String? {
        guard let name = text(node) else { return nil }
        if let names, !names.contains(name) {
            addUnknown("field", name, known: names, at: node)
            return nil
        }
        return name
    }

    private func keepRule(_ node: Node, names: [String]?, fields: [Field]) -> KeepRule? {
        let comparisons = KeepRule.Comparison.allCases.map(\.rawValue)
        guard let keys = Keys(node, self, known: ["field"] + comparisons) else { return nil }
        let name = keys.required("field").flatMap { fieldName($0, names: names) }
        guard let (word, value) = keys.exactlyOne(of: comparisons),
            let comparison = KeepRule.Comparison(rawValue: word), let name,
            let field = fields.first(where: { $0.name == name })
        else { return nil }
        let isOrdered = [.timestamp, .duration, .int, .double].contains(field.kind)
        let isEquality = comparison == .eq || comparison == .ne
        guard isEquality ? field.kind != .json : isOrdered else {
            add(value, "\(word) does not fit type \(field.kind.rawValue) of field \"\(name)\"")
            return nil
        }
        return literal(value, for: field.kind)
            .map { KeepRule(field: name, comparison: comparison, value: $0) }
    }

    func write(_ node: Node) -> Write? {
        guard let keys = Keys(node, self, known: ["table", "mode", "newer_by"]) else { return nil }
        let table = keys.required("table").flatMap { name($0) }
        let mode = keys.required("mode")
            .flatMap { word($0, "mode", as: Write.Mode.self, later: ["replace_all"]) }
        let newerBy = keys["newer_by"].flatMap { text($0) }
        if mode == .newestWins, keys["newer_by"] == nil {
            add(node, "mode newest_wins needs newer_by, the field that says which is newer")
        }
        guard let table, let mode else { return nil }
        return Write(
            table: table, mode: mode, newerBy: newerBy, unique: nil, deletes: nil, indexes: [])
    }
}

/// True for `2025-01-31T12:00:00[.123](Z|+01:00)`, all within their ranges.
func isTimestamp(_ text: String) -> Bool {
    let shape = Array("dddd-dd-ddTdd:dd:dd".utf8)
    let bytes = Array(text.utf8)
    guard bytes.count > shape.count,
        zip(bytes, shape).allSatisfy({ $1 == UInt8(ascii: "d") ? isDigit($0) : $0 == $1 })
    else { return false }
    func pair(_ index: Int) -> Int { Int(bytes[index] - 48) * 10 + Int(bytes[index + 1] - 48) }
    guard (1...12).contains(pair(5)), (1...31).contains(pair(8)), pair(11) < 24, pair(14) < 60,
        pair(17) < 60
    else { return false }
    var zone = bytes[shape.count...]
    if zone.first == UInt8(ascii: ".") {
        let digits = zone.dropFirst().prefix(while: isDigit)
        guard (1...9).contains(digits.count) else { return false }
        zone = zone.dropFirst(digits.count + 1)
    }
    if zone.elementsEqual("Z".utf8) { return true }
    let offset = Array(zone)
    return offset.count == 6 && "+-".utf8.contains(offset[0]) && offset[3] == UInt8(ascii: ":")
        && [1, 2, 4, 5].allSatisfy { isDigit(offset[$0]) }
}
