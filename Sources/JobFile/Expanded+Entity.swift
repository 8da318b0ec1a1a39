import JSON

/// The parts of an entity as a job file writes them.
extension Page {
    var expanded: JSONValue {
        let common = JSONValue.members(
            ("size", size.map { .integer($0) }), ("max_pages", maxPages.map { .integer($0) }),
            ("end", endsAtShortPage ? .string("short_page") : nil))
        return .object((style.expanded(persists: persists).members ?? []) + (common.members ?? []))
    }
}

extension Page.Style {
    fileprivate func expanded(persists: Bool) -> JSONValue {
        switch self {
        case .single: .members(("style", .string("single")))
        case .token(let path): .members(("style", .string("token")), ("token_at", .text(path)))
        case .nextURL(.body(let path)):
            .members(("style", .string("next_url")), ("url_at", .text(path)))
        case .nextURL(.header(let name)):
            .members(("style", .string("next_url")), ("url_header", .string(name)))
        case .linkHeader: .members(("style", .string("link_header")))
        case .offset(let start, let total):
            .members(
                ("style", .string("offset")), ("start", .integer(start)),
                ("total_at", total.map { .text($0) }))
        case .number(let start, let last):
            .members(
                ("style", .string("page")), ("start", .integer(start)),
                ("last_at", last.map { .text($0) }))
        case .keyset(let place, let start):
            .members(
                ("style", .string("keyset")), place.expanded, ("start", .string(start)),
                ("persist", .bool(persists)))
        case .syncToken(let at, let more):
            .members(
                ("style", .string("sync_token")), ("token_at", .text(at)),
                ("more_at", .text(more)))
        }
    }
}

extension Page.KeysetPlace {
    fileprivate var expanded: (String, JSONValue?) {
        switch self {
        case .body(let path): ("token_at", .text(path))
        case .field(let name): ("by", .string(name))
        }
    }
}

extension Incremental {
    var expanded: JSONValue {
        .members(
            ("watermark", .string(watermark.rawValue)), ("overlap", .span(overlap)),
            ("format", .string(format.rawValue)), ("full_if", .filled(fullIf.map(\.expanded))))
    }
}

extension Records {
    var expanded: JSONValue {
        .members(
            ("at", .text(at)), ("key", .texts(key)),
            ("fields", .object(fields.map { JSONMember($0.name, $0.expanded) })),
            ("keep_if", .filled(keepIf.map(\.expanded))))
    }
}

extension Field {
    fileprivate var expanded: JSONValue {
        .members(
            ("at", .text(at)), ("type", .string(kind.rawValue)), ("required", .bool(required)),
            ("default", defaultValue), ("one_of", oneOf.map { .texts($0) }))
    }
}

extension KeepRule {
    fileprivate var expanded: JSONValue {
        .members(("field", .string(field)), (comparison.rawValue, value))
    }
}

extension Write {
    var expanded: JSONValue {
        .members(
            ("table", .string(table)), ("mode", .string(mode.rawValue)),
            ("newer_by", newerBy.map { .string($0) }))
    }
}

extension Recovery {
    var expanded: JSONValue {
        .members(
            ("name", .string(name)),
            ("if", .members(("status", .array(statuses.map { .integer($0) })))),
            ("do", .array(steps.map(\.expanded))), ("then", .string(then.rawValue)),
            ("times", .integer(times)))
    }
}

extension Recovery.Step {
    fileprivate var expanded: JSONValue {
        switch self {
        case .call(let name): .string(name)
        case .forgetToken: .string("forget_token")
        case .createZone: .string("cloudkit.create_zone")
        }
    }
}
