import JSON
import JobFiles

/// Where the records are and what becomes of them.
struct RecordsDraft {
    var at = ""
    var path: [String] = []
    var oneAsList = false
    var absent = false
    var fields = FieldSet()
    var key: [String] = []
    var keepIf: [JSONValue] = []
}

extension StreamContext {
    /// The place of the records, without the fields.
    func recordsPlace(_ selector: JSONValue?) -> RecordsDraft {
        var draft = RecordsDraft()
        guard let selector, selector["type"]?.string != "CustomRecordSelector" else { return draft }
        let extractor = selector["extractor"] ?? .null
        parameters = extractor["$parameters"] ?? .null
        guard extractor.type(usually: "DpathExtractor") == "DpathExtractor" else {
            leave(
                "record_selector.extractor", extractor["class_name"]?.string ?? extractor.text,
                "Python that finds the records")
            return draft
        }
        var steps: [Path.Step] = []
        var plain: [String] = []
        let places =
            extractor["field_path"]?.elements ?? extractor["field_path"]?.string.map {
                [.string($0)]
            } ?? []
        for element in places {
            guard let text = element.scalarText,
                let mixed = attempt(
                    "record_selector.extractor",
                    { () throws(Untranslatable) in try self.substituted(text) })
            else { continue }
            guard let name = mixed.plain ?? mixed.alone?.literalText else {
                leave(
                    "record_selector.extractor", text, "a value that decides where the records are")
                continue
            }
            if name == "*" {
                steps.append(.each)
            } else if name == "**" || Int(name) != nil {
                leave("record_selector.extractor", name, "a place in a list, or any place")
            } else {
                steps.append(.member(name))
                plain.append(name)
            }
        }
        // The list itself, or one object in place of it.
        if steps.last != .each {
            steps.append(.each)
            draft.oneAsList = true
        }
        if steps.count(where: { $0 == .each }) > 1 {
            note("`*` in the records' place is taken for every element of a list")
        }
        draft.at = Path(steps: steps).description
        draft.path = plain
        draft.absent = !plain.isEmpty
        return draft
    }

    /// Fields by the schema, and what the transformations make of them.
    func fields(_ stream: JSONValue, _ cursor: CursorDraft?, into draft: inout RecordsDraft) {
        let schema = inlineSchema(stream["schema_loader"])
        for member in schema?.members ?? [] {
            let cursorFormats = cursor?.field == member.name ? cursor?.formats ?? [] : []
            _ = draft.fields.add(field(member.name, member.value, cursorFormats))
        }
        if draft.fields.fields.isEmpty {
            _ = draft.fields.add(FieldDraft(name: "record", path: [], type: "json"))
            if let field = cursor?.field, !field.isEmpty, let formats = cursor?.formats,
                !formats.isEmpty
            {
                _ = draft.fields.add(
                    FieldDraft(
                        name: snakeCase(field), path: [field], type: "timestamp", format: formats))
            }
        }
        for transformation in stream["transformations"]?.elements ?? [] {
            transform(transformation, &draft)
        }
    }

    private func inlineSchema(_ loader: JSONValue?) -> JSONValue? {
        if let loaders = loader?.elements {
            return loaders.lazy.compactMap { self.inlineSchema($0) }.first
        }
        guard loader?["type"]?.string == "InlineSchemaLoader" else { return nil }
        return loader?["schema"]?["properties"]
    }

    private func field(_ name: String, _ schema: JSONValue, _ cursorFormats: [String]) -> FieldDraft
    {
        var types =
            schema["type"]?.elements?.compactMap(\.string) ?? schema["type"]?.string.map { [$0] }
            ?? []
        types.removeAll { $0 == "null" }
        var field = FieldDraft(name: snakeCase(name), path: [name], type: "json")
        guard types.count == 1 else { return field }
        switch types[0] {
        case "string":
            let isTime = schema["format"]?.string == "date-time"
            field.type = isTime ? "timestamp" : "text"
        case "integer": field.type = "int"
        case "number": field.type = "double"
        case "boolean": field.type = "bool"
        default: break
        }
        if !cursorFormats.isEmpty, ["text", "timestamp", "int", "double"].contains(field.type) {
            let isNumber = ["int", "double"].contains(field.type)
            let fitting = cursorFormats.filter { $0.hasPrefix("epoch") == isNumber }
            if !fitting.isEmpty { (field.type, field.format) = ("timestamp", fitting) }
        }
        return field
    }

    private func transform(_ transformation: JSONValue, _ draft: inout RecordsDraft) {
        parameters = transformation["$parameters"] ?? .null
        switch transformation["type"]?.string {
        case "RemoveFields":
            if let condition = transformation["condition"]?.string, !condition.isEmpty {
                return leave(
                    "transformations", condition, "fields that are removed from some records")
            }
            for pointer in transformation["field_pointers"]?.elements ?? [] {
                let path = (pointer.elements ?? []).compactMap(\.scalarText)
                if path.count == 1 { draft.fields.remove(at: path) }
            }
        case "AddFields":
            if let condition = transformation["condition"]?.string, !condition.isEmpty {
                return leave("transformations", condition, "fields that are added to some records")
            }
            for field in transformation["fields"]?.elements ?? [] { add(field, &draft) }
        case let other:
            leave(
                "transformations", transformation["class_name"]?.string ?? other ?? "",
                "a change of records that fields can't say")
        }
    }

    private func add(_ field: JSONValue, _ draft: inout RecordsDraft) {
        let path = (field["path"]?.elements ?? []).compactMap(\.scalarText)
        let text = field["value"]?.scalarText ?? ""
        let place = "transformations.\(path.joined(separator: "."))"
        guard path.count == 1 else {
            return leave(place, text, "a value that is added inside another one")
        }
        let known = draft.fields.field(at: path)
        guard
            let mixed = attempt(place, { () throws(Untranslatable) in try self.substituted(text) })
        else { return }
        if let value = field["value"], value.string == nil || mixed.plain != nil {
            return set(
                path, known,
                FieldDraft(name: "", type: "text", constant: .string(value.scalarText ?? "")),
                &draft)
        }
        guard let expression = mixed.alone?.without(["string", "trim"]) else {
            return joined(mixed, path, known, place, text, &draft)
        }
        if let clock = expression.clock, clock.milliseconds == 0 {
            if let known { draft.fields.remove(at: known.path ?? []) }
            return note("\(path[0]), the time of reading, is left out: each row has inserted_at")
        }
        guard let found = expression.without(["int", "float"]).reference, found.fallback == nil
        else {
            if let literal = expression.literalText {
                return set(
                    path, known, FieldDraft(name: "", type: "text", constant: .string(literal)),
                    &draft)
            }
            return leave(place, text, "a value that is made by an expression")
        }
        switch found.root {
        case "record" where !found.path.isEmpty:
            set(
                path, known,
                FieldDraft(
                    name: "", path: found.path, type: known?.type ?? "json",
                    format: known?.format ?? []), &draft)
        case "stream_partition", "stream_slice":
            let name = found.path.last ?? ""
            guard bound(found) == nil, let item = items[name] else {
                return leave(place, text, "a value of the pass that is no item")
            }
            draft.fields.remove(at: path)
            if draft.fields.fields.contains(where: { $0.item == item }) { return }
            _ = draft.fields.add(
                FieldDraft(name: snakeCase(path[0]), type: itemTypes[item] ?? "text", item: item))
        default: leave(place, text, "a value that stands in no record")
        }
    }

    /// Texts and places in a row.
    private func joined(
        _ mixed: MixedText, _ path: [String], _ known: FieldDraft?, _ place: String, _ text: String,
        _ draft: inout RecordsDraft
    ) {
        leave(place, text, "a text that is put together")
    }

    /// A field of that name in place of the schema's.
    private func set(
        _ path: [String], _ known: FieldDraft?, _ field: FieldDraft, _ draft: inout RecordsDraft
    ) {
        var field = field
        if let known {
            field.name = known.name
            draft.fields.update(known.name) { $0 = field }
        } else {
            field.name = snakeCase(path[0])
            _ = draft.fields.add(field)
        }
    }

    /// The key, as the manifest names it.
    func key(_ value: JSONValue?, into draft: inout RecordsDraft) {
        var names: [[String]] = []
        if let name = value?.string {
            names = name.isEmpty ? [] : [[name]]
        } else {
            for element in value?.elements ?? [] {
                names.append(
                    element.elements?.compactMap(\.string) ?? element.string.map { [$0] } ?? [])
            }
        }
        names.removeAll(where: \.isEmpty)
        for path in names {
            guard !path.contains(where: { $0.contains("{{") }) else {
                return leave(
                    "primary_key", path.joined(separator: "."), "a value that decides the key")
            }
            if let item = items[path[0]], path.count == 1, draft.fields.field(at: path) == nil {
                guard let column = draft.fields.fields.first(where: { $0.item == item })?.name
                else { continue }
                draft.key.append(column)
                continue
            }
            if path.count == 1,
                let made = draft.fields.fields.first(where: {
                    $0.name == snakeCase(path[0])
                        && ($0.constant != nil || $0.item != nil || $0.path != path)
                })
            {
                guard made.item != nil || made.constant != nil || made.canBeItem else {
                    draft.fields.update(made.name) {
                        ($0.type, $0.isJoined, $0.format) = ("text", true, [])
                    }
                    draft.fields.update(made.name) { $0.isRequired = true }
                    draft.key.append(made.name)
                    continue
                }
                draft.fields.update(made.name) { $0.isRequired = true }
                draft.key.append(made.name)
                continue
            }
            let column = draft.fields.keyColumn(path)
            draft.fields.update(column) { $0.isRequired = true }
            if !draft.key.contains(column) { draft.key.append(column) }
        }
    }

    /// A condition on records, as `keep_if`.
    func filter(_ filter: JSONValue?, into draft: inout RecordsDraft) {
        guard let filter, filter != .null else { return }
        parameters = filter["$parameters"] ?? .null
        guard filter.type(usually: "RecordFilter") == "RecordFilter" else {
            return leave(
                "record_filter", filter["class_name"]?.string ?? "", "Python that chooses records")
        }
        let text = filter["condition"]?.string ?? ""
        guard !text.isEmpty else { return }
        guard
            let mixed = attempt(
                "record_filter", { () throws(Untranslatable) in try self.substituted(text) }),
            let expression = mixed.alone, let rules = rules(of: expression, draft)
        else {
            if !left.contains(where: { $0.place == "record_filter" }) {
                leave("record_filter", text, "a condition that keep_if can't say")
            }
            return
        }
        draft.keepIf = rules
    }

    private func rules(of expression: Expression, _ draft: RecordsDraft) -> [JSONValue]? {
        func place(_ expression: Expression) -> [String]? {
            guard let found = expression.reference, found.root == "record", found.fallback == nil,
                !found.path.isEmpty
            else { return nil }
            return found.path
        }
        func rule(_ path: [String], _ word: String, _ value: JSONValue, type: String? = nil)
            -> [JSONValue]
        {
            var members = [JSONMember("at", .string(pathText(path)))]
            if let type, type != "text" { members.append(JSONMember("type", .string(type))) }
            members.append(JSONMember(word, value))
            return [.object(members)]
        }
        func type(of value: JSONValue) -> String {
            switch value {
            case .bool: "bool"
            case .number(let text): Int(text) == nil ? "double" : "int"
            default: "text"
            }
        }
        switch expression {
        case .binary("and", let left, let right):
            guard let first = rules(of: left, draft), let second = rules(of: right, draft) else {
                return nil
            }
            return first + second
        case .binary(let mark, let left, .literal(let value)):
            let words = ["==": "eq", "!=": "ne", ">": "gt", ">=": "gte", "<": "lt", "<=": "lte"]
            guard let path = place(left), let word = words[mark] else { return nil }
            if value == .null {
                return mark == "!="
                    ? rule(path, "present", .bool(true))
                    : mark == "==" ? rule(path, "present", .bool(false)) : nil
            }
            return rule(path, word, value, type: type(of: value))
        case .binary("in", let left, .list(let elements)):
            let values = elements.compactMap(\.literal)
            guard let path = place(left), values.count == elements.count, let first = values.first
            else { return nil }
            return rule(path, "in", .array(values), type: type(of: first))
        case .binary(">=", let left, let right), .binary(">", let left, let right):
            // What is older than the window was read before.
            guard left.isOfRecord, let bound = right.reference,
                ["stream_slice", "stream_interval", "stream_state"].contains(bound.root)
            else { return nil }
            return []
        case .test(let inner, "none", let isNegated), .test(let inner, "defined", let isNegated):
            let isDefined = if case .test(_, "defined", _) = expression { true } else { false }
            return place(inner).map { rule($0, "present", .bool(isDefined != isNegated)) }
        case .not(let inner):
            guard let path = place(inner), draft.fields.field(at: path)?.type == "bool" else {
                return nil
            }
            return rule(path, "ne", .bool(true), type: "bool")
        default:
            guard let path = place(expression) else { return nil }
            switch draft.fields.field(at: path)?.type {
            case "bool": return rule(path, "eq", .bool(true), type: "bool")
            default: return nil
            }
        }
    }
}

extension Expression {
    /// A value of the record, whichever.
    fileprivate var isOfRecord: Bool {
        switch self {
        case .name(let name): name == "record"
        case .member(let inner, _), .index(let inner, _): inner.isOfRecord
        default: false
        }
    }
}
