import JSON

/// The parts of an entity as a job file writes them.
extension Page {
    var expanded: JSONValue {
        let common = JSONValue.members(
            ("size", size.map { .integer($0) }), ("max_pages", maxPages.map { .integer($0) }),
            ("more_at", moreAt.map { .text($0) }), ("end", end.map { .string($0.rawValue) }),
            ("origin", staysAtOrigin ? .string("base") : nil))
        return .object((style.expanded(persists: persists).members ?? []) + (common.members ?? []))
    }
}

extension Page.Style {
    fileprivate func expanded(persists: Bool) -> JSONValue {
        switch self {
        case .single: .members(("style", .string("single")))
        case .token(let location):
            .members(("style", .string("token")), ("token_at", location.expanded))
        case .nextURL(.body(let path)):
            .members(("style", .string("next_url")), ("url_at", .text(path)))
        case .nextURL(.header(let name)):
            .members(("style", .string("next_url")), ("url_header", .string(name)))
        case .linkHeader(let signs):
            .members(
                ("style", .string("link_header")),
                (
                    "end_if",
                    signs.isEmpty
                        ? nil : .object(signs.map { JSONMember($0.name, .string($0.value)) })
                ))
        case .offset(let start, let total):
            .members(
                ("style", .string("offset")), ("start", .integer(start)),
                ("total_at", total.map { .text($0) }))
        case .number(let start, let end):
            .members(("style", .string("page")), ("start", .integer(start)), end.expanded)
        case .keyset(let location, let start):
            .members(
                ("style", .string("keyset")), location.expanded,
                ("start", location.expanded(start: start)),
                ("persist", .bool(persists)))
        case .syncToken(let at, let more):
            .members(
                ("style", .string("sync_token")), ("token_at", .text(at)),
                ("more_at", .text(more)))
        }
    }
}

extension Page.TokenLocation {
    fileprivate var expanded: JSONValue {
        switch self {
        case .body(let path): .text(path)
        case .header(let name): .members(("header", .string(name)))
        case .lastRecord(let path): .members(("last", .text(path)))
        }
    }
}

extension Page.NumberEnd? {
    fileprivate var expanded: (String, JSONValue?) {
        switch self {
        case nil: ("last_at", nil)
        case .last(let path): ("last_at", .text(path))
        case .next(let path): ("next_at", .text(path))
        case .total(let path): ("total_at", .text(path))
        }
    }
}

extension Page.KeysetLocation {
    fileprivate func expanded(start: String) -> JSONValue {
        if case .body = self { KeptPosition.value(start) } else { .string(start) }
    }

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
            ("watermark", .string(watermark.rawValue)),
            ("overlap", overlapCount > 0 ? .integer(overlapCount) : .span(overlap)),
            ("format", .string(format.rawValue)), ("full_if", .filled(fullIf.map(\.expanded))),
            ("fallback", fallsBackToJob ? .string("job_last_success") : nil),
            ("full_every", fullEvery.map { .span($0) }), ("start", start.map(KeptPosition.number)),
            ("ascending", isAscending ? .bool(true) : nil))
    }
}

extension Records {
    /// `prefix`: what stands before a field's name in a record, and not in the file.
    func expanded(prefix: String = "", isPreset: Bool = false) -> JSONValue {
        .members(
            ("at", .text(at)), ("key", .texts(key)),
            ("fields", .object(fields.map { JSONMember($0.name, $0.expanded(prefix: prefix)) })),
            ("secrets", .named(secrets.map { ($0.name, $0.expanded(prefix, isPreset)) })),
            ("keep_if", .filled(keepIf.map(\.expanded))),
            ("one_as_list", countsOneAsList ? .bool(true) : nil),
            ("absent", absentIsEmpty ? .string("empty") : nil), ("rest", rest?.expanded))
    }
}

extension Field {
    /// A preset's path is written as the file had it, which reads back as the same one.
    fileprivate func expanded(prefix: String) -> JSONValue {
        let written = form == .cloudkit ? CloudKitWire.filePath(at, prefix: prefix) : at
        let isFormatted = form != .plain && form != .cloudkit
        let form = isFormatted ? JSONValue.string(form.rawValue) : nil
        return .members(
            ("at", meta == nil ? .text(written) : nil), ("meta", meta.map { .string($0) }),
            ("type", .string(kind.rawValue)),
            ("format", times.isEmpty ? form : .texts(times.map(\.text))),
            ("required", .bool(required)),
            ("default", defaultValue), ("one_of", oneOf.map { .texts($0) }))
    }
}

extension Rest {
    fileprivate var expanded: JSONValue {
        let common = JSONValue.members(("url_at", .text(urlAt)), ("at", .text(at)))
        let next: JSONValue =
            switch next {
            case nil: .members()
            case .url(let path): .members(("next_at", .text(path)))
            case .after(let query, let path):
                .members(
                    ("after", .members(("query", .string(query)), ("at", .text(path)))))
            }
        return .object((common.members ?? []) + (next.members ?? []))
    }
}

extension BroughtSecret {
    fileprivate func expanded(_ prefix: String, _ isPreset: Bool) -> JSONValue {
        .members(("at", .text(isPreset ? CloudKitWire.filePath(at, prefix: prefix) : at)))
    }
}

extension KeepRule {
    fileprivate var expanded: JSONValue {
        .members(
            ("field", .string(field)), (comparison.rawValue, value),
            ("missing", keepsMissing ? .string("keep") : nil))
    }
}

extension Recovery {
    var expanded: JSONValue {
        .members(
            ("name", .string(name)),
            (
                "if",
                .members(
                    ("status", .filled(statuses.map { .integer($0) })),
                    ("code", .filled(codes.map { .string($0) })),
                    ("reason_has", .filled(reasonHas.map { .string($0) })))
            ),
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

extension Entity {
    /// A preset's request is left out, since its operation says the same.
    var expanded: JSONValue {
        .members(
            ("entity", .string(name)), ("enabled", .bool(isEnabled)),
            ("cloudkit", cloudkit?.expanded),
            ("request", cloudkit == nil ? .object(request.members) : nil),
            ("errors", .filled(errors.map(\.expanded))),
            ("for_each", forEach?.expanded), ("probe", probe?.expanded), ("page", page.expanded),
            ("incremental", incremental?.expanded), ("conditional", .bool(isConditional)),
            (
                "records",
                records.expanded(prefix: cloudkit?.fieldPrefix ?? "", isPreset: cloudkit != nil)
            ),
            ("write", write.expanded(cloudkit)),
            ("recover", .filled(recover.map(\.expanded))),
            ("push", push?.expanded(prefix: cloudkit?.fieldPrefix ?? "")),
            ("requires_previous", requiresPrevious ? .bool(true) : nil))
    }
}

extension FailureSign {
    fileprivate var expanded: JSONValue {
        .members(
            ("at", .text(at)), ("must_be", mustBe.map { .array($0) }),
            ("wait_at", waitAt.map { .text($0) }), ("message_at", messageAt.map { .text($0) }))
    }
}

extension ForEach {
    var expanded: JSONValue {
        .members(("list", .string(list)), ("chunk", .integer(chunk)))
    }
}

extension Probe {
    fileprivate var expanded: JSONValue {
        if sort.isEmpty {
            return .members(
                ("request", .object(request.members)),
                ("skip_if_same", .array(skipIfSame.map { .text($0) })),
                ("full_every", .span(fullEvery)))
        }
        let names = skipIfSame.compactMap { path -> JSONValue? in
            guard case .member(let name)? = path.steps.last else { return nil }
            return .string(name)
        }
        return .members(
            ("sort", .array(sort.map(\.expanded))),
            ("skip_if_same", .array(names)), ("full_every", .span(fullEvery)))
    }
}
