import JSON

// What follows from an entity's declaration and several rooms ask.

extension Entity {
    /// Place of a field among the entity's; nil when it has none of that name.
    public func index(of field: String) -> Int? {
        records.fields.firstIndex { $0.name == field }
    }

    /// A full pass notes what it shows and deletes the rest at its end.
    public var sweeps: Bool { write.mode == .replaceAll || write.deletes?.sweeps == true }

    /// Pages hold more than rows to write: tombstones, or rows that are only shown.
    public var hasRowActions: Bool { sweeps || write.deletes?.appliesTombstones == true }

    /// A deletion of the source's takes an unsent edit with it: only where the file says so.
    public var deletionsWin: Bool {
        write.deletes.map { $0.appliesTombstones && $0.unsent == .delete } ?? false
    }

    /// The column of the record's name, where the key is another one: a record whose key changes is the same row.
    public var nameBesideKey: String? {
        recordNameColumn.flatMap { records.key.contains($0) ? nil : $0 }
    }

    /// The columns that say which record a row is of.
    public var identity: [String] { nameBesideKey.map { [$0] } ?? records.key }

    /// The columns that say which item of `for_each` a row is of, in one item's part with its values' texts.
    public var itemColumns: [(column: String, text: String)] {
        records.fields.compactMap { field in
            guard field.isOfItem, let value = field.defaultValue else { return nil }
            return (field.name, value.string ?? value.text)
        }
    }

    /// The columns by which a tombstone finds its row.
    public var tombstoneKey: [String] {
        cloudkit == nil ? records.key : recordNameColumn.map { [$0] } ?? []
    }

    /// Pages ascend by what `{since}` compares, so that the greatest one stored is a safe place to begin again: the job
    /// file says so, or the order that the query asks for does (CloudKit reference, 9.3).
    public var comesInOrderOfWatermark: Bool {
        guard let incremental, incremental.watermark == .maxSeen else { return false }
        guard case .query(let query)? = cloudkit else { return incremental.isAscending }
        guard let since = query.since, let first = query.sort.first else { return false }
        return first.isAscending && first.name == since.name
    }
}

extension Page {
    /// A change feed: it gives a token that outlives the pass.
    public var isFeed: Bool {
        if case .syncToken = style { true } else { resumeAt != nil }
    }

    /// The token that outlives the pass is no position of a page, and is sent as `{since}`.
    public var resumesBySince: Bool { resumeAt != nil && !continuesByAddress }

    /// Its position is kept when the pass ends.
    public var outlives: Bool { persists || isFeed }

    /// The next position is a whole address.
    public var continuesByAddress: Bool {
        switch style {
        case .nextURL, .linkHeader: true
        default: false
        }
    }

    /// The next position is our own count, which a source may ignore.
    public var isCounted: Bool {
        switch style {
        case .offset, .number: true
        default: false
        }
    }

    /// The next position is in the last record.
    public var continuesFromLastRecord: Bool {
        if case .token(.lastRecord) = style { true } else { false }
    }

    /// The header field that tells the next position; nil when it stands elsewhere.
    public var positionHeader: String? {
        switch style {
        case .nextURL(.header(let name)), .token(.header(let name)): name
        case .linkHeader: "Link"
        default: nil
        }
    }

    /// The field whose greatest value is the next position.
    public var keysetField: String? {
        if case .keyset(.field(let name), _) = style { name } else { nil }
    }
}

extension Authentication {
    /// The query parameter that signs in, when one does.
    public var queryName: String? {
        switch self {
        case .query(let name, _): name
        case .session(let session): session.sent.queryName
        default: nil
        }
    }
}

extension Source {
    /// The secrets that go with every request as they are; what only a token server or a login is sent is none of them.
    public var sentSecretNames: [String] {
        let templates: [Template] =
            switch auth {
            case .basic(let user, let password): [user, password]
            case .bearer(let token): [token]
            case .header(_, let value), .query(_, let value): [value]
            default: []
            }
        return (templates + headers.map(\.value)).flatMap(\.secretNames)
    }
}

extension SessionSignIn.Sent {
    fileprivate var queryName: String? {
        if case .query(let name, _) = self { name } else { nil }
    }
}

extension Request {
    /// All secrets that are sent.
    public var secretNames: [String] {
        let inBody = body?.placeholders.compactMap { placeholder in
            if case .secret(let name) = placeholder { name } else { nil }
        }
        let inTexts = (query + form + headers).flatMap(\.value.secretNames)
        return (path.secretNames + inTexts + (inBody ?? [])).reduce(into: []) { names, name in
            if !names.contains(name) { names.append(name) }
        }
    }

    /// As a file writes it, which tells one request from another.
    public var words: String { JSONValue.object(members).text }
}

extension JobFile {
    /// What the source refuses may be a credential: requests hold one, or are signed with one.
    public var signsIn: Bool { secretUse.isSent }

    /// The same by going through all that it sends, which is done once.
    var sendsSecrets: Bool {
        source.auth != .none || source.headers.contains { !$0.value.secretNames.isEmpty }
            || (entities.flatMap(\.requests) + calls.map(\.request)).contains {
                !$0.secretNames.isEmpty
            }
    }

    /// Errors quote the beginning of an answer that is refused.
    ///
    /// Where secrets are sent or brought, only if the file says so: an answer often repeats the request.
    public var quotesAnswers: Bool { source.excerpts ?? (!signsIn && !bringsSecrets) }

    /// What follows from changes of a list, in file order.
    public var listSteps: [AfterStep.Action] {
        after.map(\.action).filter { action in
            switch action {
            case .storeLists, .raiseCounts: true
            case .call, .cleanup: false
            }
        }
    }
}

extension Entity {
    /// All that is sent for its pages.
    public var requests: [Request] { [request] + (continuation.map { [$0] } ?? []) }

    /// What is sent for the page at a position; nil is where a list begins.
    public func request(at position: String?) -> Request {
        position == nil ? request : continuation ?? request
    }
}
