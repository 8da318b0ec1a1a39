import JSON
import JobFiles

/// Where the records are and what becomes of them.
struct RecordsDraft {
    var at = ""
    var path: [String] = []
    var oneAsList = false
    /// `*` goes through lists and mappings alike.
    var valuesAsList = false
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
        // Behind a `*` each place is one record; else it is the list itself, or one object in place of it.
        draft.valuesAsList = steps.contains(.each)
        if !draft.valuesAsList {
            steps.append(.each)
            draft.oneAsList = true
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
        if let field = expression.made(in: known) { return set(path, known, field, &draft) }
        if let parts = expression.joinedPlaces {
            return join(parts, path, known, place, text, &draft)
        }
        guard let found = expression.without(["int", "float"]).reference?.orNothing(self),
            found.fallback == nil
        else { return leave(place, text, "a value that is made by an expression") }
        switch found.root {
        case "record" where !found.path.isEmpty:
            set(
                path, known,
                FieldDraft(
                    name: "", path: found.path, type: known?.type ?? "json",
                    format: known?.format ?? []), &draft)
        case "stream_partition", "stream_slice", "stream_interval":
            let name = found.path.last ?? ""
            if isNothing(found) {
                return set(
                    path, known, FieldDraft(name: "", type: "text", constant: .string("")), &draft)
            }
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
        guard let parts = mixed.joined.joinedPlaces else {
            return leave(place, text, "a text that is put together")
        }
        join(parts, path, known, place, text, &draft)
    }

    /// Values of the record with one text between any two of them.
    private func join(
        _ parts: [JoinedPart], _ path: [String], _ known: FieldDraft?, _ place: String,
        _ text: String, _ draft: inout RecordsDraft
    ) {
        var places: [[String]] = []
        var marks: [String] = []
        for (index, part) in parts.enumerated() {
            switch part {
            case .place(let path) where index.isMultiple(of: 2): places.append(path)
            case .text(let text) where !index.isMultiple(of: 2): marks.append(text)
            default: return leave(place, text, "a text that is put together")
            }
        }
        guard places.count == marks.count + 1, places.count > 1, Set(marks).count == 1 else {
            return leave(place, text, "a text that is put together")
        }
        set(path, known, FieldDraft(name: "", type: "text", joined: places, mark: marks[0]), &draft)
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
}
