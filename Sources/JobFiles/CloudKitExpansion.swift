import JSON

/// How CloudKit's words stand on the wire (CloudKit Web Services, 4.1, 5.1 and 5.4).
enum CloudKitWire {
    static let queryRecords: [Path.Step] = [.member("records"), .each]
    static let changedRecords: [Path.Step] = [.member("zones"), .each, .member("records"), .each]

    /// Where a record has a system value.
    static func systemPath(_ meta: String) -> Path {
        let isTime = meta == "created" || meta == "modified"
        return Path(steps: [.member(meta)] + (isTime ? [.member("timestamp")] : []))
    }

    /// `a.b` of a job file is `fields.a.value.b` in a record.
    ///
    /// With Core Data's prefix it is `fields.CD_a.value.b`.
    static func wirePath(_ path: Path, prefix: String) -> Path {
        guard case .member(let first)? = path.steps.first else { return path }
        return Path(
            steps: [.member("fields"), .member(prefix + first), .member("value")]
                + path.steps.dropFirst())
    }

    /// The way back of `wirePath`.
    static func filePath(_ path: Path, prefix: String) -> Path {
        guard path.steps.count >= 3, case .member(let name) = path.steps[1] else { return path }
        return Path(
            steps: [.member(String(name.dropFirst(prefix.count)))] + path.steps.dropFirst(3))
    }
}

extension Entity {
    /// The entity as it is run: what its operation stands for, in words of the wire.
    func expanded(at address: CloudKitAddress?) -> Entity {
        var entity = self
        let hasTombstones = isChangeFeed || write.deletes?.flagAt != nil
        entity.write.deletes?.tombstones =
            hasTombstones ? write.deletes?.tombstones ?? .delete : nil
        if let field = records.keyField {
            entity.records.key = records.itemColumns + [field.name]
            entity.records.fields.append(field)
        }
        guard let cloudkit else { return entity }
        entity.request = cloudkit.request(at: address)
        entity.translate { CloudKitWire.wirePath($0, prefix: cloudkit.fieldPrefix) }
        for index in records.fields.indices { entity.records.fields[index].form = .cloudkit }
        entity.push?.recordType = cloudkit.fieldPrefix + (push?.recordType ?? "")
        if case .query(let query) = cloudkit, let probe {
            entity.probe?.request = query.probeRequest(at: address, sort: probe.sort)
            entity.probe?.skipIfSame = probe.skipIfSame.map {
                Path(steps: CloudKitWire.queryRecords + $0.steps)
            }
        }
        return entity
    }

    /// The entity as its file says it: the way back of `expanded`.
    var unexpanded: Entity {
        var entity = self
        if records.keyless != nil {
            entity.records.key = []
            entity.records.fields.removeAll { $0.name == Records.rowKey }
        }
        guard let cloudkit else { return entity }
        let prefix = cloudkit.fieldPrefix
        entity.translate { CloudKitWire.filePath($0, prefix: prefix) }
        entity.push?.recordType = String((push?.recordType ?? "").dropFirst(prefix.count))
        entity.probe?.skipIfSame = (probe?.skipIfSame ?? []).map { Path(steps: $0.steps.suffix(1)) }
        return entity
    }

    /// Changes the paths to a record's own fields.
    private mutating func translate(_ change: (Path) -> Path) {
        for index in records.fields.indices where records.fields[index].meta == nil {
            records.fields[index].at = change(records.fields[index].at)
            records.fields[index].others = records.fields[index].others.map(change)
        }
        for index in records.secrets.indices {
            records.secrets[index].at = change(records.secrets[index].at)
        }
        let flag = write.deletes?.flagAt.map(change)
        write.deletes?.flagAt = flag
    }
}

extension Records {
    /// The column of what stands for a key; nil when the records have one.
    fileprivate var keyField: Field? {
        guard let keyless else { return nil }
        var field = Field(
            name: Self.rowKey, at: Path(steps: []), kind: .text, required: true, defaultValue: nil,
            oneOf: nil, form: .plain)
        switch keyless {
        case .one:
            field.made = .constant
            field.defaultValue = .string(keyless.rawValue)
        case .content: field.made = .hashed(fields.flatMap(\.places))
        }
        return field
    }
}

extension CloudKitOperation {
    /// The request an entity with this operation sends for each page.
    func request(at address: CloudKitAddress?) -> Request {
        switch self {
        case .query(let query): return query.request(at: address)
        case .zoneChanges, .coreData:
            let asked = BodyTemplate.members(
                (
                    "zoneID",
                    .members(
                        ("zoneName", .fixed(feed?.zone ?? "")),
                        ("ownerRecordName", owner.map { .text($0) }))
                ),
                ("syncToken", .placeholder(.pageToken)),
                ("resultsLimit", .placeholder(.pageSize)))
            return .cloudkit("changes/zone", .members(("zones", .array([asked]))), at: address)
        }
    }

    private var owner: Template? {
        if case .zoneChanges(_, let owner, _) = self { owner } else { nil }
    }

    /// Where the records of an answer are; only one zone is asked.
    var recordsPath: Path {
        switch self {
        case .query: Path(steps: CloudKitWire.queryRecords)
        case .zoneChanges, .coreData: Path(steps: CloudKitWire.changedRecords)
        }
    }
}

extension CloudKitQuery {
    func request(at address: CloudKitAddress?) -> Request {
        .cloudkit(
            "records/query",
            .members(
                ("zoneID", .members(("zoneName", .fixed(RecordPlace.defaultZone)))),
                ("resultsLimit", .placeholder(.pageSize)),
                ("query", body(isWindowed: true, sort: sort)),
                ("continuationMarker", .placeholder(.pageToken))),
            at: address)
    }

    /// The one record that comes first by another order.
    func probeRequest(at address: CloudKitAddress?, sort: [Sort]) -> Request {
        .cloudkit(
            "records/query",
            .members(
                ("zoneID", .members(("zoneName", .fixed(RecordPlace.defaultZone)))),
                ("resultsLimit", .literal(.integer(1))),
                ("query", body(isWindowed: false, sort: sort))),
            at: address)
    }

    private func body(isWindowed: Bool, sort: [Sort]) -> BodyTemplate {
        let since = isWindowed ? self.since : nil
        return .members(
            ("recordType", .fixed(type)), ("filterBy", filterBy(since)),
            (
                "sortBy",
                sort.isEmpty
                    ? nil
                    : .array(
                        sort.map { order in
                            .members(
                                order.name.member,
                                ("ascending", .literal(.bool(order.isAscending))))
                        })
            ))
    }

    /// A full pass has no value for `{since}`, and without a filter no list of them.
    private func filterBy(_ since: Since?) -> BodyTemplate? {
        let window = since.map { since in
            BodyTemplate.members(
                since.name.member, ("comparator", .fixed(since.comparator)),
                (
                    "fieldValue",
                    .members(("value", .placeholder(.since)), ("type", .fixed("TIMESTAMP")))
                ))
        }
        let others = filters.map(\.body)
        guard !others.isEmpty else { return window.map { .when(.since, .array([$0])) } }
        return .array(others + (window.map { [.when(.since, $0)] } ?? []))
    }
}

extension CloudKitQuery.Filter {
    fileprivate var body: BodyTemplate {
        let isReference =
            switch name {
            case .field: false
            case .system(let name): name.hasSuffix("ecordName")
            }
        return .members(
            name.member, ("comparator", .fixed(comparator)),
            (
                "fieldValue",
                .members(("value", isReference ? .members(("recordName", value)) : value))
            ))
    }
}

extension CloudKitQuery.Name {
    fileprivate var member: (String, BodyTemplate?) {
        switch self {
        case .field(let name): ("fieldName", .fixed(name))
        case .system(let name): ("systemFieldName", .fixed(name))
        }
    }
}

extension Request {
    fileprivate static func cloudkit(
        _ operation: String, _ body: BodyTemplate, at address: CloudKitAddress?
    ) -> Request {
        Request(
            method: "POST",
            path: Template(pieces: [.literal("\(address?.path ?? "")/\(operation)")]), query: [],
            headers: [], body: body)
    }
}

extension BodyTemplate {
    /// An object of the members that have a value.
    fileprivate static func members(_ members: (String, BodyTemplate?)...) -> BodyTemplate {
        .object(
            members.compactMap { name, value in value.map { BodyMember(name: name, value: $0) } })
    }

    fileprivate static func fixed(_ text: String) -> BodyTemplate { .literal(.string(text)) }

    fileprivate static func placeholder(_ placeholder: Placeholder) -> BodyTemplate {
        .text(Template(pieces: [.placeholder(placeholder)]))
    }
}
