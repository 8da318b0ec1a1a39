/// What a filter or a sort looks at: a field, or one of the record's own properties.
enum CloudSubject {
    case field(String)
    case system(System)

    enum System: String, CaseIterable {
        case recordName, share, parent, createdUserRecordName, createdTimestamp
        case modifiedTimestamp, modifiedUserRecordName

        /// The name in schema files, which works as a field's name too.
        var underscored: String {
            switch self {
            case .recordName: "___recordId"
            case .share: "___share"
            case .parent: "___parent"
            case .createdUserRecordName: "___createdBy"
            case .createdTimestamp: "___createTime"
            case .modifiedTimestamp: "___modTime"
            case .modifiedUserRecordName: "___modifiedBy"
            }
        }
    }

    init(_ json: JSONValue, _ sides: CloudSettings.SystemFields) throws(CloudError) {
        if let name = json["systemFieldName"]?.text {
            guard sides != .underscore, let system = System(rawValue: name) else {
                throw .badRequest("unknown system field '\(name)'")
            }
            self = .system(system)
        } else if let name = json["fieldName"]?.text {
            let system = System.allCases.first { $0.underscored == name }
            if system != nil, sides == .short {
                throw .badRequest("unknown field '\(name)'")
            }
            self = system.map { .system($0) } ?? .field(name)
        } else {
            throw .badRequest("Missing fieldName")
        }
    }

    var name: String {
        switch self {
        case .field(let name): name
        case .system(let system): system.rawValue
        }
    }

    func value(_ name: String, _ version: CloudRecord.Version) -> JSONValue {
        switch self {
        case .field(let field): version.fields[field]?.value ?? .null
        case .system(.recordName): .string(name)
        case .system(.createdTimestamp): .int(version.created.time)
        case .system(.modifiedTimestamp): .int(version.modified.time)
        case .system(.createdUserRecordName): .string(version.created.user)
        case .system(.modifiedUserRecordName): .string(version.modified.user)
        case .system(.share), .system(.parent): .null
        }
    }
}

/// One condition of a query; all of a query's must hold.
struct CloudFilter {
    let subject: CloudSubject
    let comparator: Comparator
    private let value: JSONValue
    private let keys: [CloudKey]

    enum Comparator: String {
        case equals = "EQUALS"
        case notEquals = "NOT_EQUALS"
        case less = "LESS_THAN"
        case lessOrEqual = "LESS_THAN_OR_EQUALS"
        case greater = "GREATER_THAN"
        case greaterOrEqual = "GREATER_THAN_OR_EQUALS"
        case among = "IN"
        case notAmong = "NOT_IN"
        case allTokens = "CONTAINS_ALL_TOKENS"
        case anyToken = "CONTAINS_ANY_TOKENS"
        case listContains = "LIST_CONTAINS"
        case notListContains = "NOT_LIST_CONTAINS"
        case notListContainsAny = "NOT_LIST_CONTAINS_ANY"
        case listContainsAll = "LIST_CONTAINS_ALL"
        case notListContainsAll = "NOT_LIST_CONTAINS_ALL"
        case beginsWith = "BEGINS_WITH"
        case notBeginsWith = "NOT_BEGINS_WITH"
        case memberBeginsWith = "LIST_MEMBER_BEGINS_WITH"
        case notMemberBeginsWith = "NOT_LIST_MEMBER_BEGINS_WITH"
    }

    init(_ json: JSONValue, _ sides: CloudSettings.SystemFields) throws(CloudError) {
        subject = try CloudSubject(json, sides)
        guard let word = json["comparator"]?.text, let comparator = Comparator(rawValue: word)
        else { throw .badRequest("unknown comparator") }
        self.comparator = comparator
        guard let value = json["fieldValue"]?["value"] else {
            throw .badRequest("Missing fieldValue")
        }
        if comparator == .among || comparator == .notAmong {
            let type = json["fieldValue"]?["type"]?.text ?? ""
            guard type.hasSuffix("LIST"), value.elements != nil else {
                throw .badRequest("Unexpected input")
            }
        }
        if json["fieldValue"]?["type"]?.text == "TIMESTAMP", value.whole == nil {
            throw .badRequest("Invalid value, expected type TIMESTAMP.")
        }
        self.value = value
        keys = (value.elements ?? [value]).map(CloudField.key)
    }

    func holds(_ name: String, _ version: CloudRecord.Version) -> Bool {
        let found = subject.value(name, version)
        let key = CloudField.key(found)
        let list = (found.elements ?? []).map(CloudField.key)
        switch comparator {
        case .equals: return found == value || (key == keys.first && key != .missing)
        case .notEquals: return key != keys.first
        case .less: return compares(key) { $0 < $1 }
        case .lessOrEqual: return compares(key) { $0 <= $1 }
        case .greater: return compares(key) { $0 > $1 }
        case .greaterOrEqual: return compares(key) { $0 >= $1 }
        case .among: return keys.contains(key)
        case .notAmong: return !keys.contains(key)
        case .allTokens: return tokens(found).isSuperset(of: tokens(value))
        case .anyToken: return !tokens(found).isDisjoint(with: tokens(value))
        case .listContains: return list.contains { keys.contains($0) }
        case .notListContains, .notListContainsAny: return !list.contains { keys.contains($0) }
        case .listContainsAll: return keys.allSatisfy(list.contains)
        case .notListContainsAll: return !keys.allSatisfy(list.contains)
        case .beginsWith: return begins(key)
        case .notBeginsWith: return !begins(key)
        case .memberBeginsWith: return list.contains(where: begins)
        case .notMemberBeginsWith: return !list.contains(where: begins)
        }
    }

    /// Values of different kinds have no order.
    private func compares(_ key: CloudKey, _ order: (CloudKey, CloudKey) -> Bool) -> Bool {
        guard let wanted = keys.first else { return false }
        switch (key, wanted) {
        case (.number, .number), (.text, .text): return order(key, wanted)
        default: return false
        }
    }

    private func begins(_ key: CloudKey) -> Bool {
        guard case .text(let text) = key, case .text(let prefix)? = keys.first else { return false }
        return text.hasPrefix(prefix)
    }

    private func tokens(_ value: JSONValue) -> Set<Substring> {
        Set((value.text ?? "").lowercased().split { !$0.isLetter && !$0.isNumber })
    }
}
