import JSON

/// `records`.
extension NodeReading {
    /// `operation` nil when the records are those of a request of the file's own.
    func records(
        _ node: Node, isPaged: Bool, operation: CloudKitOperation?, isPushed: Bool
    ) -> Records? {
        guard let keys = Keys(node, self, of: RecordsKey.self) else { return nil }
        let atNode = operation == nil ? keys.required(.at) : keys[.at]
        let at = atNode.map { path($0, toOne: false) } ?? operation?.recordsPath
        if isPaged, let at, let atNode, !at.hasEach {
            add(
                atNode, "leads to one record, but pages hold many; did you mean \"\(at)[]\"?",
                nearest: "\(at)[]")
        }
        let fieldsNode = keys.value(.fields)
        let system = operation.map { systemFields(for: $0, isPushed, besides: fieldsNode) } ?? []
        let fields = fieldsNode.flatMap { self.fields($0, operation) }
            .map { $0 + system }
        let names = fieldsNode?.keys.map { $0 + system.map(\.name) }
        let key = keys.elements(.key).flatMap { self.key($0, names: names, fields: fields ?? []) }
        let rules = keys.elements(.keepIf)?
            .compactMap { keepRule($0, names: names, fields: fields ?? []) }
        let secrets = keys[.secrets].map { broughtSecrets($0, operation) }
        let countsOneAsList = operation == nil ? keys.bool(.oneAsList) ?? false : false
        if countsOneAsList, let at, !at.hasEach, let node = keys[.oneAsList] {
            add(node, "\(at) names one record already; leave one_as_list out")
        }
        let absent = operation == nil ? keys[.absent].flatMap { _ in keys.word(.absent) } : nil
        if absent != nil, let at, !at.hasEach, let node = keys[.absent] {
            add(node, "\(at) leads to one record and to no list; leave absent out")
        }
        let rest = operation == nil ? keys[.rest].flatMap { self.rest($0, of: at, secrets) } : nil
        guard let at, let fields, let key else { return nil }
        return Records(
            at: at, key: key, fields: fields, keepIf: rules ?? [],
            countsOneAsList: countsOneAsList, absentIsEmpty: absent != nil, rest: rest,
            secrets: secrets ?? [])
    }

    private func fields(_ node: Node, _ operation: CloudKitOperation?) -> [Field]? {
        guard let entries = entries(node) else { return nil }
        if entries.isEmpty { add(node, "expected at least one field") }
        var metas: Set<String> = []
        return entries.compactMap { entry in
            guard isColumn(entry.key, at: entry.position, entry.value.path) else { return nil }
            let field = field(entry, operation)
            if let meta = field?.meta, !metas.insert(meta).inserted {
                add(entry.value["meta"] ?? entry.value, "meta \"\(meta)\" appears twice")
            }
            return field
        }
    }

    /// The system values every CloudKit entity has a column of, unless the file gives them another
    /// name.
    private func systemFields(
        for operation: CloudKitOperation, _ isPushed: Bool, besides node: Node?
    ) -> [Field] {
        var wanted: [(name: String, meta: String, kind: Field.Kind)] = []
        if operation.feed != nil || isPushed {
            wanted = [
                ("record_name", "recordName", .text), ("change_tag", "recordChangeTag", .text),
            ]
        }
        wanted.append(("modified_at", "modified", .timestamp))
        let entries = (node?.keys ?? []).map { (key: $0, value: node?[$0]) }
        return wanted.compactMap { column in
            if entries.contains(where: { $0.value?["meta"]?.isScalar(column.meta) == true }) {
                return nil
            }
            if let taken = entries.first(where: { $0.key == column.name }) {
                // A record's own time of change may stand in for the server's.
                if column.meta != "modified", let location = taken.value {
                    add(location, "\"\(column.name)\" holds meta: \(column.meta) here; rename this")
                }
                return nil
            }
            return Field(
                name: column.name, at: metaPath(column.meta), kind: column.kind,
                required: column.meta == "recordName", defaultValue: nil, oneOf: nil,
                form: .cloudkit, meta: column.meta)
        }
    }

    private func metaPath(_ meta: String) -> Path {
        Path(steps: CloudKitWire.systemPaths.first { $0.key == meta }?.value ?? [])
    }

    /// Reports a name that can't be a column of a synced table.
    func isColumn(_ name: String, at position: Position, _ path: String) -> Bool {
        guard isName(name, at: position, path) else { return false }
        if RecordsKey.reservedColumns.contains(name) {
            add(position, path, "\"\(name)\" is a column every synced table has; use another name")
            return false
        }
        if RecordsKey.systemColumns.contains(name) {
            add(position, path, "\"\(name)\" is a system column of PostgreSQL; use another name")
            return false
        }
        return true
    }

    private func field(_ entry: Node.Entry, _ operation: CloudKitOperation?) -> Field? {
        let isCloudKit = operation != nil
        guard
            let keys = Keys<FieldKey>(
                entry.value, self, isPreset: isCloudKit,
                variant: isCloudKit ? "a cloudkit entity's field" : "a field without preset")
        else { return nil }
        let meta = keys[.meta].flatMap { _ in keys.word(.meta) }
        let at = location(keys, meta: meta, operation)
        let kind = keys.word(.type, as: Field.Kind.self)
        let required = keys.bool(.required) ?? false
        if let node = keys[.fallback], required {
            add(node, "a required field has no default; a missing value skips the record")
        }
        let fallback = kind.flatMap { kind in keys[.fallback].flatMap { literal($0, for: kind) } }
        let texts = keys[.oneOf].flatMap { oneOf($0, kind: kind) }
        if let node = keys[.fallback], let texts, let text = fallback?.string, !texts.contains(text)
        {
            addUnknown("value", text, known: texts, at: node)
        }
        let format = keys[.format].flatMap { self.format($0, kind: kind) }
        if isCloudKit, kind == .decimal, let node = keys[.type] {
            add(node, "CloudKit has no decimals; expected int or double")
        }
        guard let at, let kind else { return nil }
        if let meta { checkMeta(meta, kind, keys) }
        return Field(
            name: entry.key, at: at, kind: kind, required: required, defaultValue: fallback,
            oneOf: texts, form: isCloudKit ? .cloudkit : format?.form ?? .plain,
            times: format?.times ?? [], meta: meta)
    }

    /// Where in the record, on the wire.
    private func location(
        _ keys: Keys<FieldKey>, meta: String?, _ operation: CloudKitOperation?
    ) -> Path? {
        guard let operation else {
            // A key of another kind of entity was reported, and says where the value was to be.
            let node = keys[.meta] == nil ? keys.required(.at) : keys[.at]
            return node.flatMap { path($0, toOne: true) }
        }
        guard let (key, value) = keys.alternative() else { return nil }
        if key == .meta { return meta.map { metaPath($0) } }
        return path(value, toOne: true)
            .map { CloudKitWire.wirePath($0, prefix: operation.fieldPrefix) }
    }

    private func checkMeta(_ meta: String, _ kind: Field.Kind, _ keys: Keys<FieldKey>) {
        let wanted: Field.Kind = ["created", "modified"].contains(meta) ? .timestamp : .text
        if kind != wanted, let node = keys[.type] {
            add(node, "meta \"\(meta)\" is a \(wanted.rawValue), not \(kind.rawValue)")
        }
        for key in [FieldKey.fallback, .oneOf] {
            if let node = keys[key] { add(node, "a system value has no \(key.rawValue)") }
        }
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
        case .decimal:
            guard let text = number(node, "a number") else { return nil }
            if DecimalText(text) == nil { add(node, "\(text) has too many digits") }
            return .number(text)
        case .duration: return number(node, "a number of seconds").map { .number($0) }
        case .bool: return bool(node).map { .bool($0) }
        case .json: return json(node)
        }
    }

    private func key(_ elements: [Node], names: [String]?, fields: [Field]) -> [String]? {
        if elements.isEmpty { return nil }
        var key: [String] = []
        for element in elements {
            guard let name = fieldName(element, names: names) else { continue }
            if key.contains(name) { add(element, "\"\(name)\" appears twice") }
            key.append(name)
            guard let field = fields.first(where: { $0.name == name }) else { continue }
            if !field.required, field.defaultValue == nil {
                add(
                    element,
                    "key field \"\(name)\" must be required: true, or have a default for records without it"
                )
            }
            if field.kind == .json { add(element, "a key field can't be of type json") }
        }
        let keyFields = fields.filter { key.contains($0.name) }
        if !keyFields.isEmpty, keyFields.count == key.count,
            keyFields.allSatisfy({ !$0.required && $0.defaultValue != nil })
        {
            add(
                elements[0],
                "every field of the key has a default, so that records without them would be one row: make one required: true"
            )
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
        guard let keys = Keys(node, self, of: KeepRuleKey.self) else { return nil }
        let name = keys.value(.field).flatMap { fieldName($0, names: names) }
        guard let (word, value) = keys.alternative(), let comparison = word.comparison, let name,
            let field = fields.first(where: { $0.name == name })
        else { return nil }
        if comparison == .youngerThan {
            guard field.kind == .timestamp else {
                add(value, "younger_than is for a timestamp, \"\(name)\" is \(field.kind.rawValue)")
                return nil
            }
            return keys.duration(.youngerThan)
                .map { KeepRule(field: name, comparison: comparison, value: .span($0), span: $0) }
        }
        let isOrdered = [.timestamp, .duration, .int, .double, .decimal].contains(field.kind)
        let isEquality = comparison == .eq || comparison == .ne
        guard isEquality ? field.kind != .json : isOrdered else {
            add(
                value,
                "\(word.rawValue) does not fit type \(field.kind.rawValue) of field \"\(name)\"")
            return nil
        }
        let keepsMissing = keys[.missing].flatMap { _ in keys.word(.missing) } != nil
        return literal(value, for: field.kind).map {
            KeepRule(
                field: name, comparison: comparison, value: $0, keepsMissing: keepsMissing)
        }
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
