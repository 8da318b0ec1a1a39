/// A whole file: what it declares, then what its parts say of each other.
extension NodeReading {
    func jobFile(_ root: Node) -> JobFile? {
        guard case .mapping = root.content else {
            add(root, "expected a mapping with version and job, found \(root.words)")
            return nil
        }
        if let version = root["version"], int(version, 1...1) == nil { return nil }
        guard let keys = Keys(root, self, of: FileKey.self) else { return nil }
        _ = keys.value(.version)
        declare(root)
        let name = keys.value(.job).flatMap { jobName($0) }
        let scope = keys.word(.scope, as: JobFile.Scope.self)
        let schedule = keys.value(.schedule).flatMap { Mapping<Schedule>.schedule.read($0, self) }
        let freshness = keys[.freshness].flatMap { Mapping<Freshness>.freshness.read($0, self) }
        let source = keys.value(.source).flatMap { self.source($0) }
        let lists = keys[.lists].flatMap { Form<[ListTable]>.lists.read($0, self) }
        let calls = self.calls(keys[.calls])
        let before = self.before(keys[.before])
        for (call, uses) in calls { checkCalls(in: uses, ranBefore: callsBefore(call.name)) }
        let entities = keys.value(.entities)
            .flatMap { self.entities($0, defaults: keys[.defaults]) }
        checkTables(root, lists: lists ?? [], entities: entities ?? [])
        let after = keys[.after].map { self.after($0, entities: entities ?? []) }
        let stores = keys[.stores].flatMap { Form<[Store]>.stores.read($0, self) }
        let health = keys[.health].map { self.health($0, entities: entities ?? []) }
        let events = keys.elements(.events).map { nodes in
            nodes.compactMap { word($0, "event", as: JobFile.ToldEvent.self) }
        }
        let notifies = keys.word(.onChange) != nil
        guard let name, let scope, let schedule, let source, let entities else {
            return nil
        }
        let file = JobFile(
            name: name, scope: scope, schedule: schedule,
            freshness: freshness, source: source, lists: lists ?? [], calls: calls.map(\.call),
            before: before, entities: entities, after: after ?? [], stores: stores ?? [],
            health: health ?? [], events: events ?? [], notifiesOnChange: notifies)
        checkFile(file, root)
        return file.withQuestions().withSecretNames()
    }

    /// Learns the names that later parts refer to; where one is malformed, its reader says so.
    private func declare(_ root: Node) {
        func names(_ key: String) -> [String]? { root[key].map { $0.keys } ?? [] }
        scope.isTenant = root["scope"]?.isScalar("tenant") ?? false
        scope.isCloudKit = root["source"]?["preset"] != nil
        scope.lists = names("lists")
        scope.calls = names("calls")
        let steps = (root["before"]?.elements ?? []).filter { $0["cloudkit"] == nil }
        let before = steps.compactMap { $0["call"]?.scalarText }
        let isKnown = before.allSatisfy { scope.calls?.contains($0) ?? false }
        scope.before = isKnown && before.count == steps.count ? before : nil
        let lists = (names("lists") ?? []).map { root["lists"]?[$0]?["table"] }
        let entities = root["entities"]?.elements ?? []
        let tables = lists + entities.map { $0["write"]?["table"] }
        scope.tables = (tables + [root["defaults"]?["write"]?["table"]])
            .compactMap { $0?.scalarText }
    }

    /// The calls that have run when this one is first made.
    private func callsBefore(_ name: String) -> [String]? {
        scope.before.map { before in
            Array(before.prefix(before.firstIndex(of: name) ?? before.count))
        }
    }

    private func jobName(_ node: Node) -> String? {
        guard let text = text(node) else { return nil }
        let words = text.split(separator: ".", omittingEmptySubsequences: false)
        guard words.count == 2, words.allSatisfy({ isNameText(String($0)) }) else {
            add(
                node,
                "\"\(excerpt(of: text))\" is no job name, expected two words such as app.refresh")
            return nil
        }
        return text
    }

    /// One table has one set of columns and one key, whoever writes it.
    private func checkTables(_ root: Node, lists: [ListTable], entities: [Entity]) {
        var shapes: [String: (owner: String, shape: TableShape)] = [:]
        func check(_ table: String, _ owner: String, _ shape: TableShape, at node: Node?) {
            guard let first = shapes[table] else {
                shapes[table] = (owner, shape)
                return
            }
            guard first.shape != shape, let node else { return }
            add(node, "table \"\(table)\" has other columns or another key in \(first.owner)")
        }
        for list in lists {
            check(
                list.table, "list \"\(list.name)\"", TableShape(list),
                at: root["lists"]?[list.name]?["table"])
        }
        for entity in entities {
            let node = root.entity(named: entity.name)
            check(
                entity.write.table, "entity \"\(entity.name)\"", TableShape(entity),
                at: node?["write"]?["table"] ?? node)
        }
    }
}

/// What makes two descriptions of a table the same.
struct TableShape: Equatable {
    var columns: [String: Field.Kind]
    var key: Set<String>

    init(_ list: ListTable) {
        columns = Dictionary(
            [(list.column, .text)] + list.columns.map { ($0.name, $0.kind) },
            uniquingKeysWith: { $1 })
        key = [list.column]
    }

    init(_ entity: Entity) {
        columns = Dictionary(
            entity.records.fields.map { ($0.name, $0.kind) }, uniquingKeysWith: { $1 })
        key = Set(entity.records.key)
    }
}
