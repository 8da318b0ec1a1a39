import JSON

extension Form where Value == Page {
    static let page = Form(
        type: Mapping<WrittenPage>.page.form.type,
        read: { node, reading in
            // Of an operation that can't be read nobody knows how it pages.
            guard let entity = reading.scope.entity, entity.isKnown,
                let parts = Mapping<WrittenPage>.page.readParts(node, reading)
            else { return nil }
            let place = Place(node, reading)
            place.checkRequest(entity, parts.model)
            guard parts.isReadable, place.fits(entity.operation, parts.model),
                let style = place.style(parts.model, entity.operation)
            else { return nil }
            let written = parts.model
            if written.style == "keyset", written.by != nil, written.end == .emptyPage {
                place.report(
                    "end", "with by an empty page has no position and ends the pass; leave end out")
            }
            reading.scope.entity?.isPaged = style != .single
            return Page(
                style: style,
                size: written.size ?? entity.operation.map { _ in CloudKitAddress.batchMax },
                maxPages: written.maxPages, end: written.end,
                moreAt: written.style == "sync_token" || entity.isOfPreset ? nil : written.moreAt,
                moreIf: written.moreIf, lastAt: written.style == "page" ? nil : written.lastAt,
                sendsStart: written.sendsStart,
                staysAtOrigin: written.staysAtOrigin, resumeAt: written.resumeAt,
                persists: written.persists)
        }, write: { Mapping<WrittenPage>.page.form.write(WrittenPage($0)) })
}

extension Place {
    /// What the request does with the position and the size.
    fileprivate func checkRequest(_ entity: EntityScope, _ page: WrittenPage) {
        let uses = entity.uses ?? []
        if entity.uses != nil {
            let sent = uses.first { $0.placeholder == .pageToken }
            if page.sendsToken, sent == nil, let request = entity.node["request"],
                uses.allSatisfy({ $0.placeholder != nil })
            {
                reading.add(
                    request,
                    "style \"\(page.style)\" but {page.token} is never sent; every page would be the first one"
                )
            }
            if !page.sendsToken, let sent {
                reading.add(sent.node, "{page.token} has no value with style \"\(page.style)\"")
            }
        }
        guard !has("size") else { return }
        if let use = uses.first(where: { $0.placeholder == .pageSize }) {
            reading.add(use.node, "{page.size} has no value; add page.size")
        }
        if let end = node["end"], end.isScalar(Page.End.shortPage.rawValue) {
            reading.add(end, "a page is short only against a size; add page.size")
        }
    }

    /// A preset's operation has one style.
    fileprivate func fits(_ operation: CloudKitOperation?, _ page: WrittenPage) -> Bool {
        guard let operation, page.style != operation.pageStyle else { return true }
        report(
            "style",
            "\(operation.name) pages by style \"\(operation.pageStyle)\", not \"\(page.style)\"",
            nearest: operation.pageStyle)
        return false
    }

    fileprivate func style(
        _ page: WrittenPage, _ operation: CloudKitOperation?
    ) -> Page.Style? {
        let position = page.tokenPath ?? operation?.positionPath("token_at")
        switch page.style {
        case "token":
            return (page.tokenAt ?? position.map { .body($0) }).map { .token($0) }
        case "next_url":
            if page.urlAt.count > 1 { return .nextURL(.firstOf(page.urlAt)) }
            return (page.urlAt.first.map { .body($0) } ?? page.urlHeader.map { .header($0) })
                .map { .nextURL($0) }
        case "link_header": return .linkHeader(endIf: page.signs)
        case "offset": return .offset(start: page.first, totalAt: page.totalAt)
        case "page": return .number(start: page.firstPage, end: end(page))
        case "keyset":
            // A field's own type says what its positions are, the body's positions are as the file writes the first one.
            if let path = page.tokenPath {
                let start = page.start.string.map(KeptPosition.text) ?? page.start.text
                return .keyset(.body(path), start: start)
            }
            return page.by.map { .keyset(.field($0), start: page.start.string ?? page.start.text) }
        case "sync_token":
            guard let position, let more = page.moreAt ?? operation?.positionPath("more_at") else {
                return nil
            }
            return .syncToken(at: position, moreAt: more)
        case "single": return .single
        default: return nil
        }
    }

    /// What says where counted pages end: one word of the source's, so that two can't disagree.
    private func end(_ page: WrittenPage) -> Page.NumberEnd? {
        let keys = ["last_at", "next_at", "total_at"]
        if keys.contains(where: has) { _ = reading.hasOne(of: keys, in: node, excused: []) }
        return page.lastAt.map { .last($0) } ?? page.nextAt.map { .next($0) }
            ?? page.totalAt.map { .total($0) }
    }
}

extension WrittenPage {
    init(_ page: Page) {
        size = page.size
        maxPages = page.maxPages
        end = page.end
        moreAt = page.moreAt
        moreIf = page.moreIf
        lastAt = page.lastAt
        sendsStart = page.sendsStart
        staysAtOrigin = page.staysAtOrigin
        resumeAt = page.resumeAt
        persists = page.persists
        switch page.style {
        case .single: break
        case .token(let location): (style, tokenAt) = ("token", location)
        case .nextURL(.body(let path)): (style, urlAt) = ("next_url", [path])
        case .nextURL(.firstOf(let paths)): (style, urlAt) = ("next_url", paths)
        case .nextURL(.header(let name)): (style, urlHeader) = ("next_url", name)
        case .linkHeader(let signs): (style, self.signs) = ("link_header", signs)
        case .offset(let start, let total): (style, first, totalAt) = ("offset", start, total)
        case .number(let start, let end):
            (style, firstPage) = ("page", start)
            switch end {
            case .last(let path): lastAt = path
            case .next(let path): nextAt = path
            case .total(let path): totalAt = path
            case nil: break
            }
        case .keyset(.body(let path), let start):
            (style, tokenPath, self.start) = ("keyset", path, KeptPosition.value(start))
        case .keyset(.field(let name), let start):
            (style, by, self.start) = ("keyset", name, .string(start))
        case .syncToken(let at, let more): (style, tokenPath, moreAt) = ("sync_token", at, more)
        }
    }
}

extension Page {
    static let blank = Page(style: .single, size: nil, maxPages: nil, end: nil, persists: false)
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
    fileprivate var pageStyle: String {
        if case .query = self { "token" } else { "sync_token" }
    }

    /// Where an answer has its position, and where it says that more is coming.
    fileprivate func positionPath(_ key: String) -> Path {
        guard feed != nil else { return Path(steps: [.member("continuationMarker")]) }
        let member = key == "more_at" ? "moreComing" : "syncToken"
        return Path(steps: [.member("zones"), .each, .member(member)])
    }
}
