extension NodeReading {
    /// A whole file: what it declares, then what its parts say of each other.
    func jobFile(_ root: Node) -> JobFile? {
        guard case .mapping = root.content else {
            add(root, "expected a mapping with version and job, found \(root.words)")
            return nil
        }
        if let version = root["version"], int(version, 1...1) == nil { return nil }
        declare(root)
        guard let parts = Mapping<JobFile>.file.readParts(root, self) else { return nil }
        let file = parts.model
        checkTables(root, lists: file.lists, entities: file.entities)
        guard parts.isReadable else { return nil }
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
}
