import JSON

/// How CloudKit's words stand on the wire (CloudKit Web Services, 4.1, 5.1 and 5.4).
enum CloudKitWire {
    static let queryRecords: [Path.Step] = [.member("records"), .each]
    static let changedRecords: [Path.Step] = [.member("zones"), .each, .member("records"), .each]
    static let systemPaths: KeyValuePairs<String, [Path.Step]> = [
        "recordName": [.member("recordName")], "recordType": [.member("recordType")],
        "recordChangeTag": [.member("recordChangeTag")],
        "created": [.member("created"), .member("timestamp")],
        "modified": [.member("modified"), .member("timestamp")],
    ]

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
