import JSON
import JobFiles

/// What finds the entity of a parent stream, and its columns.
protocol ParentFinding: AnyObject {
    /// The entity of a parent stream; nil where it is not translated.
    func parent(_ stream: JSONValue) -> EntityDraft?
}

extension StreamContext {
    /// The routers of a retriever as `for_each`; the items' names are known afterwards.
    func forEach(
        _ router: JSONValue?, _ finder: any ParentFinding, into request: inout [(JSONValue, String)]
    ) -> [JSONValue] {
        guard let router, router != .null else { return [] }
        let routers = router.elements ?? [router]
        guard routers.count <= 2 else {
            leave(
                "partition_router", "\(routers.count) routers", "for_each takes two sources at most"
            )
            return []
        }
        return routers.compactMap { source(of: $0, finder, &request) }
    }

    private func source(
        of router: JSONValue, _ finder: any ParentFinding, _ options: inout [(JSONValue, String)]
    ) -> JSONValue? {
        parameters = router["$parameters"] ?? .null
        switch router["type"]?.string {
        case "ListPartitionRouter": return list(router, &options)
        case "SubstreamPartitionRouter": return rows(router, finder, &options)
        case let other:
            leave(
                "partition_router", router["class_name"]?.string ?? other ?? "",
                "no source of for_each is like that")
            return nil
        }
    }

    private func list(_ router: JSONValue, _ options: inout [(JSONValue, String)]) -> JSONValue? {
        let field = router["cursor_field"]?.scalarText ?? "item"
        let name = itemName(field)
        items[field] = name
        itemTypes[name] = "text"
        if let option = router["request_option"], option != .null { options.append((option, name)) }
        if let values = router["values"]?.elements {
            let texts = values.compactMap(\.scalarText)
            guard texts.count == values.count, !texts.isEmpty,
                !texts.contains(where: { $0.contains("{{") })
            else {
                leave(
                    "partition_router.values", router["values"]?.text ?? "",
                    "values that are no texts")
                return nil
            }
            var unique: [String] = []
            for text in texts where !unique.contains(text) { unique.append(text) }
            return .object([
                JSONMember("values", .array(unique.map { .string($0) })),
                JSONMember("as", .string(name)),
            ])
        }
        let text = router["values"]?.string ?? ""
        guard
            let mixed = attempt(
                "partition_router.values",
                { () throws(Untranslatable) in try self.substituted(text) })
        else { return nil }
        if case .list(let elements)? = mixed.alone {
            let texts = elements.compactMap(\.literalText)
            if texts.count == elements.count, !texts.isEmpty {
                return .object([
                    JSONMember("values", .array(texts.map { .string($0) })),
                    JSONMember("as", .string(name)),
                ])
            }
        }
        guard let place = mixed.alone?.reference, place.root == "config", !place.path.isEmpty,
            place.fallback == nil,
            config.entry(place.path)?.isSecret != true
        else {
            leave("partition_router.values", text, "a list that is made by an expression")
            return nil
        }
        let attribute = config.name(place.path)
        guard inputs[attribute]?.form.isEmpty ?? true else {
            leave("partition_router.values", text, "one value stands for a list and for a text")
            return nil
        }
        note("attribute \(attribute) is a list")
        return .object([JSONMember("user", .string(attribute)), JSONMember("as", .string(name))])
    }

    private func rows(
        _ router: JSONValue, _ finder: any ParentFinding, _ options: inout [(JSONValue, String)]
    ) -> JSONValue? {
        let parents = router["parent_stream_configs"]?.elements ?? []
        guard parents.count == 1, let parent = parents.first else {
            leave(
                "partition_router", "\(parents.count) parents",
                "for_each takes the rows of one entity")
            return nil
        }
        let name = parent["stream"]?["name"]?.scalarText ?? ""
        if parent["lazy_read_pointer"]?.elements?.isEmpty == false {
            leave(
                "partition_router", "lazy_read_pointer",
                "records of the parent that bring the first page with them")
            return nil
        }
        guard let stream = parent["stream"], let entity = finder.parent(stream) else {
            // That its items are unknown follows from it, and is not told by itself.
            for key in [parent["partition_field"]?.scalarText ?? "parent_id"] { items[key] = "x" }
            leave(
                "partition_router", name, "its parent is not translated",
                nearest: "the parent first")
            return nil
        }
        parentEntities.append(entity)
        let field = parent["partition_field"]?.scalarText ?? "parent_id"
        var columns: [String] = []
        func add(_ path: [String], _ field: String) {
            let column = entity.itemColumn(path, avoiding: Set(itemTypes.keys).subtracting(columns))
            items[field] = column
            itemTypes[column] = entity.type(of: column)
            if !columns.contains(column) { columns.append(column) }
        }
        let key = parent["parent_key"]?.scalarText ?? "id"
        guard
            let mixed = attempt(
                "partition_router.parent_key",
                { () throws(Untranslatable) in try self.substituted(key) }),
            let plain = mixed.plain, !plain.contains("*")
        else {
            leave("partition_router.parent_key", key, "a key that is made by an expression")
            return nil
        }
        let path = plain.split(separator: plain.contains("/") ? "/" : ".").map(String.init)
        add(path, field)
        let extras = parent["extra_fields"]?.elements ?? []
        for extra in extras {
            let path = (extra.elements ?? []).compactMap(\.scalarText)
            if !path.isEmpty { add(path, path.joined(separator: ".")) }
        }
        // What the parent was asked for by its own items.
        for (field, column) in entity.keptItems where items[field] == nil {
            guard !itemTypes.keys.contains(column) || columns.contains(column) else { continue }
            items[field] = column
            inheritedItems.insert(column)
            itemTypes[column] = entity.type(of: column)
            if !columns.contains(column) { columns.append(column) }
        }
        if let option = parent["request_option"], option != .null {
            options.append((option, items[field] ?? ""))
        }
        var members = [
            JSONMember("rows", .string(entity.name)),
            JSONMember("columns", .array(columns.map { .string($0) })),
        ]
        if parent["incremental_dependency"]?.bool == true {
            members.append(JSONMember("only", .string("changed")))
        }
        return .object(members)
    }

    private func itemName(_ field: String) -> String {
        var name = shortened(snakeCase(field))
        while itemTypes[name] != nil { name = shortened(name + "_item") }
        return name
    }
}
