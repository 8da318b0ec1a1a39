/// `page`: the style decides the other keys.
extension NodeReading {
    /// How a pass goes from page to page; checks what the request does with the position.
    ///
    /// A preset's operation has one style, where its positions are, and a greatest size.
    func page(
        _ node: Node, request: Node?, uses: [PlaceholderUse]?, operation: CloudKitOperation?
    ) -> Page? {
        guard let (name, styleNode, keys) = variant(node, of: PageKey.self, deciding: .style),
            let style = PageStyle(rawValue: name)
        else { return nil }
        if let uses { checkToken(uses, style, request: request) }
        let size =
            operation == nil
            ? keys.int(.size)
            : keys[.size].map { int($0, 1...CloudKitAddress.batchMax) } ?? CloudKitAddress.batchMax
        checkSize(keys, uses: uses ?? [])
        if let operation, name != operation.pageStyle {
            add(
                styleNode,
                "\(operation.name) pages by style \"\(operation.pageStyle)\", not \"\(name)\"",
                nearest: operation.pageStyle)
            return nil
        }
        let maxPages = keys.int(.maxPages)
        let end = end(style, keys)
        let moreAt =
            style == .syncToken || operation != nil
            ? nil : node["more_at"].flatMap { innerPath($0) }
        let persists = style == .keyset ? keys.and(KeysetKey.self).bool(.persist) : false
        return self.style(style, keys, operation).map {
            Page(
                style: $0, size: size, maxPages: maxPages, end: end, moreAt: moreAt,
                staysAtOrigin: node["origin"] != nil, persists: persists ?? false)
        }
    }

    private func style(
        _ style: PageStyle, _ keys: Keys<PageKey>, _ operation: CloudKitOperation?
    ) -> Page.Style? {
        switch style {
        case .single: return .single
        case .linkHeader: return linkHeader(keys.and(LinkHeaderKey.self))
        case .token:
            return tokenLocation(keys.and(TokenKey.self), operation).map { .token($0) }
        case .syncToken:
            let keys = keys.and(SyncTokenKey.self)
            let at = tokenPath(keys, .tokenAt, operation)
            let more = tokenPath(keys, .moreAt, operation)
            guard let at, let more else { return nil }
            return .syncToken(at: at, moreAt: more)
        case .nextURL: return nextURL(keys.and(NextURLKey.self))
        case .offset:
            let keys = keys.and(OffsetKey.self)
            let total = keys[.totalAt].flatMap { innerPath($0) }
            return keys.int(.start).map { .offset(start: $0, totalAt: total) }
        case .page:
            let keys = keys.and(NumberKey.self)
            let end = numberEnd(keys)
            return keys.int(.start).map { .number(start: $0, end: end) }
        case .keyset: return keyset(keys.and(KeysetKey.self))
        }
    }

    /// The word of `end`, which each style declares for itself.
    private func end(_ style: PageStyle, _ keys: Keys<PageKey>) -> Page.End? {
        switch style {
        case .single, .syncToken: nil
        case .token: keys.and(TokenKey.self).word(.end, as: Page.End.self)
        case .nextURL: keys.and(NextURLKey.self).word(.end, as: Page.End.self)
        case .linkHeader: keys.and(LinkHeaderKey.self).word(.end, as: Page.End.self)
        case .offset: keys.and(OffsetKey.self).word(.end, as: Page.End.self)
        case .page: keys.and(NumberKey.self).word(.end, as: Page.End.self)
        case .keyset: keysetEnd(keys.and(KeysetKey.self))
        }
    }

    private func keysetEnd(_ keys: Keys<KeysetKey>) -> Page.End? {
        let end = keys.word(.end, as: Page.End.self)
        if end == .emptyPage, keys[.by] != nil, let node = keys[.end] {
            add(node, "with by an empty page has no position and ends the pass; leave end out")
        }
        return end
    }

    private func linkHeader(_ keys: Keys<LinkHeaderKey>) -> Page.Style? {
        _ = keys.word(.origin)
        guard let node = keys[.endIf] else { return .linkHeader(endIf: []) }
        let signs = (entries(node) ?? []).compactMap { entry in
            text(entry.value).map { Page.LinkSign(name: entry.key, value: $0) }
        }
        if signs.isEmpty { add(node, "expected at least one entry") }
        return .linkHeader(endIf: signs)
    }

    private func nextURL(_ keys: Keys<NextURLKey>) -> Page.Style? {
        _ = keys.word(.origin)
        guard let (key, value) = keys.alternative() else { return nil }
        switch key {
        case .end, .origin, .moreAt: return nil
        case .urlAt: return innerPath(value).map { .nextURL(.body($0)) }
        case .urlHeader:
            return answerHeader(value).map { .nextURL(.header($0)) }
        }
    }

    private func keyset(_ keys: Keys<KeysetKey>) -> Page.Style? {
        let location = keys.alternative()
        let start = keys.text(.start)
        guard let (key, value) = location else { return nil }
        let isText =
            if case .scalar(_, isPlain: false)? = keys[.start]?.content { true } else { false }
        let found: Page.KeysetLocation? =
            key == .by
            ? name(value).map { .field($0) } : innerPath(value).map { .body($0) }
        guard let found, let start else { return nil }
        // A field's own type says what its positions are, the body's positions are as the file writes the first one.
        return .keyset(found, start: isText && key == .tokenAt ? KeptPosition.text(start) : start)
    }

    /// What says where counted pages end: one word of the source's, so that two can't disagree.
    private func numberEnd(_ keys: Keys<NumberKey>) -> Page.NumberEnd? {
        let ends = NumberKey.ends
        guard ends.contains(where: { keys[$0] != nil }),
            let (key, node) = keys.exactlyOne(of: ends), let path = innerPath(node)
        else { return nil }
        return switch key {
        case .lastAt: .last(path)
        case .nextAt: .next(path)
        default: .total(path)
        }
    }

    private func tokenLocation(
        _ keys: Keys<TokenKey>, _ operation: CloudKitOperation?
    ) -> Page.TokenLocation? {
        guard operation == nil, let node = keys[.tokenAt], case .mapping = node.content else {
            return tokenPath(keys, .tokenAt, operation).map { .body($0) }
        }
        guard let (key, value) = Keys(node, self, of: TokenLocationKey.self)?.alternative() else {
            return nil
        }
        switch key {
        case .header: return answerHeader(value).map { .header($0) }
        case .last: return innerPath(value).map { .lastRecord($0) }
        }
    }

    /// The name of a header field of an answer.
    private func answerHeader(_ node: Node) -> String? {
        guard let name = text(node) else { return nil }
        if !isToken(name) { add(node, "\(node.words) is no name of a header field") }
        return name
    }

    /// A preset's positions may lie in the only element of an array.
    private func tokenPath<Known: KeySet>(
        _ keys: Keys<Known>, _ key: Known, _ operation: CloudKitOperation?
    ) -> Path? {
        guard let operation else { return keys.required(key).flatMap { innerPath($0) } }
        guard let node = keys[key] else { return operation.positionPath(key.rawValue) }
        return innerPath(node, toOne: false)
    }

    private func checkToken(_ uses: [PlaceholderUse], _ style: PageStyle, request: Node?) {
        let sent = uses.first { $0.placeholder == .pageToken }
        if style.sendsToken, sent == nil, let request, uses.allSatisfy({ $0.placeholder != nil }) {
            add(
                request,
                "style \"\(style.rawValue)\" but {page.token} is never sent; "
                    + "every page would be the first one")
        }
        if !style.sendsToken, let sent {
            add(sent.node, "{page.token} has no value with style \"\(style.rawValue)\"")
        }
    }

    private func checkSize(_ keys: Keys<PageKey>, uses: [PlaceholderUse]) {
        guard keys[.size] == nil else { return }
        if let use = uses.first(where: { $0.placeholder == .pageSize }) {
            add(use.node, "{page.size} has no value; add page.size")
        }
        if let end = keys.node["end"], end.isScalar(Page.End.shortPage.rawValue) {
            add(end, "a page is short only against a size; add page.size")
        }
    }
}

extension CloudKitOperation {
    /// What a file calls it.
    var name: String {
        switch self {
        case .query: "records/query"
        case .zoneChanges: "changes/zone"
        case .coreData: "core_data"
        }
    }

    /// The only style whose positions it understands.
    var pageStyle: String {
        switch self {
        case .query: "token"
        case .zoneChanges, .coreData: "sync_token"
        }
    }

    /// Where an answer has its position, and where it says that more is coming.
    fileprivate func positionPath(_ key: String) -> Path {
        switch self {
        case .query: Path(steps: [.member("continuationMarker")])
        case .zoneChanges, .coreData:
            Path(
                steps: [
                    .member("zones"), .each, .member(key == "more_at" ? "moreComing" : "syncToken"),
                ])
        }
    }
}
