/// `page`: the style decides the other keys.
extension Reading {
    private static let styles: [(name: String, keys: [String], sendsToken: Bool, counts: Bool)] = [
        ("single", [], false, false), ("token", ["token_at"], true, false),
        ("next_url", ["url_at", "url_header"], false, false), ("link_header", [], false, false),
        ("offset", ["start", "total_at"], true, true),
        ("page", ["start", "last_at", "next_at", "total_at"], true, true),
        ("keyset", ["token_at", "by", "start", "persist"], true, true),
        ("sync_token", ["token_at", "more_at"], true, false),
    ]

    /// How a pass goes from page to page; checks what the request does with the position.
    ///
    /// A preset's operation has one style, where its positions are, and a greatest size.
    func page(
        _ node: Node, request: Node?, uses: [PlaceholderUse]?, operation: CloudKitOperation?
    ) -> Page? {
        guard let entries = entries(node) else { return nil }
        guard let styleNode = entries.first(where: { $0.key == "style" })?.value else {
            add(node, "missing key \"style\"")
            return nil
        }
        let names = Self.styles.map(\.name)
        guard let name = choice(styleNode, "style", of: names),
            let style = Self.styles.first(where: { $0.name == name })
        else { return nil }
        let common = ["style", "size", "max_pages"] + (style.counts ? ["end"] : [])
        guard
            let keys = Keys(
                node, self, known: common + style.keys, variant: "style \"\(name)\"",
                elsewhere: Self.styles.flatMap(\.keys) + ["end"])
        else { return nil }
        if let uses { checkToken(uses, isSent: style.sendsToken, name, request: request) }
        let sizeMax = operation == nil ? 10_000 : CloudKitPlace.batchMax
        let size = keys["size"].map { int($0, 1...sizeMax) } ?? operation.map { _ in sizeMax }
        checkSize(keys, uses: uses ?? [])
        if let operation, name != operation.pageStyle {
            add(
                styleNode,
                "\(operation.name) pages by style \"\(operation.pageStyle)\", not \"\(name)\"",
                nearest: operation.pageStyle)
            return nil
        }
        let maxPages = keys["max_pages"].flatMap { int($0, 1 ... .max) }
        let ends = keys["end"].flatMap { choice($0, "end", of: ["short_page"]) }
        let persists = keys["persist"].flatMap { bool($0) }
        return self.style(name, keys, operation).map {
            Page(
                style: $0, size: size, maxPages: maxPages, endsAtShortPage: ends != nil,
                persists: persists ?? false)
        }
    }

    private func style(
        _ name: String, _ keys: Keys, _ operation: CloudKitOperation?
    ) -> Page.Style? {
        switch name {
        case "token":
            return tokenPath(keys, "token_at", operation).map { .token(at: $0) }
        case "sync_token":
            let at = tokenPath(keys, "token_at", operation)
            let more = tokenPath(keys, "more_at", operation)
            guard let at, let more else { return nil }
            return .syncToken(at: at, moreAt: more)
        case "next_url":
            guard let (key, value) = keys.exactlyOne(of: ["url_at", "url_header"]) else {
                return nil
            }
            if key == "url_at" { return innerPath(value).map { .nextURL(.body($0)) } }
            guard let name = text(value) else { return nil }
            if !isToken(name) { add(value, "\(value.words) is no name of a header field") }
            return .nextURL(.header(name))
        case "link_header": return .linkHeader
        case "offset":
            let start = keys["start"].map { int($0, 0 ... .max) } ?? 0
            let total = keys["total_at"].flatMap { innerPath($0) }
            return start.map { .offset(start: $0, totalAt: total) }
        case "page":
            let start = keys["start"].map { int($0, 0 ... .max) } ?? 1
            let end = numberEnd(keys)
            return start.map { .number(start: $0, end: end) }
        case "keyset":
            let place = keys.exactlyOne(of: ["token_at", "by"])
            let start = keys.required("start").flatMap { text($0) }
            guard let (key, value) = place else { return nil }
            let found: Page.KeysetPlace? =
                key == "by"
                ? self.name(value).map { .field($0) } : innerPath(value).map { .body($0) }
            guard let found, let start else { return nil }
            return .keyset(found, start: start)
        default: return .single
        }
    }

    /// What says where counted pages end: one word of the source's, so that two can't disagree.
    private func numberEnd(_ keys: Keys) -> Page.NumberEnd? {
        let ends = ["last_at", "next_at", "total_at"]
        guard ends.contains(where: { keys[$0] != nil }),
            let (key, node) = keys.exactlyOne(of: ends), let path = innerPath(node)
        else { return nil }
        return switch key {
        case "last_at": .last(path)
        case "next_at": .next(path)
        default: .total(path)
        }
    }

    /// A preset's positions may lie in the only element of an array.
    private func tokenPath(
        _ keys: Keys, _ key: String, _ operation: CloudKitOperation?
    ) -> Path? {
        guard let operation else { return keys.required(key).flatMap { innerPath($0) } }
        guard let node = keys[key] else { return operation.positionPath(key) }
        return innerPath(node, toOne: false)
    }

    private func checkToken(
        _ uses: [PlaceholderUse], isSent: Bool, _ style: String, request: Node?
    ) {
        let sent = uses.first { $0.placeholder == .pageToken }
        if isSent, sent == nil, let request, uses.allSatisfy({ $0.placeholder != nil }) {
            add(
                request,
                "style \"\(style)\" but {page.token} is never sent; "
                    + "every page would be the first one")
        }
        if !isSent, let sent {
            add(sent.node, "{page.token} has no value with style \"\(style)\"")
        }
    }

    private func checkSize(_ keys: Keys, uses: [PlaceholderUse]) {
        guard keys["size"] == nil else { return }
        if let use = uses.first(where: { $0.placeholder == .pageSize }) {
            add(use.node, "{page.size} has no value; add page.size")
        }
        if let end = keys["end"] { add(end, "a page is short only against a size; add page.size") }
    }
}

extension CloudKitOperation {
    /// What a file calls it.
    var name: String {
        switch self {
        case .query: "records/query"
        case .zoneChanges: "changes/zone"
        }
    }

    /// The only style whose positions it understands.
    var pageStyle: String {
        switch self {
        case .query: "token"
        case .zoneChanges: "sync_token"
        }
    }

    /// Where an answer has its position, and where it says that more is coming.
    fileprivate func positionPath(_ key: String) -> Path {
        switch self {
        case .query: Path(steps: [.member("continuationMarker")])
        case .zoneChanges:
            Path(
                steps: [
                    .member("zones"), .each, .member(key == "more_at" ? "moreComing" : "syncToken"),
                ])
        }
    }
}
