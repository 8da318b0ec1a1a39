/// One source for each style of paging, over the same data.
struct GenericSource {
    let users: Users

    /// Nil when the path is none of these.
    func answer(_ request: Request, _ fault: FaultKind?) throws(BadRequest) -> Answer? {
        guard (3...4).contains(request.segments.count), request.segments[0] == "generic" else {
            return nil
        }
        if request.segments.count == 4 { return item(request) }
        guard let style = Style(rawValue: request.segments[2]) else { return nil }
        guard request.method == "GET" else { return .error(405, "Method not allowed") }
        guard let user = users.find(request.segments[1]) else {
            return .error(404, "User not found")
        }
        let tag = "\"\(user.key % 1_000_000)-\(user.revision)\""
        let isTagged = request.query("untagged") == nil
        if isTagged, request.header("if-none-match") == tag {
            return Answer(status: 304, headers: [("ETag", tag)])
        }
        var reader = Reader(
            user: user, request: request, since: try request.since(), until: try request.until(),
            limit: try request.limit(),
            cursorFault: fault?.cursorFault, duplicates: fault?.duplicates ?? 0)
        var answer = try reader.read(style)
        if isTagged { answer.headers.append(("ETag", tag)) }
        return answer
    }

    /// One record by its id.
    private func item(_ request: Request) -> Answer? {
        guard request.segments[2] == "item", let user = users.find(request.segments[1]) else {
            return nil
        }
        let record = user.records(since: nil, afterSeq: 0, limit: .max).items.first {
            $0.id == request.segments[3] && !$0.isDeleted
        }
        guard let record else { return .error(404, "Item not found") }
        var json = JSONText(reserving: 200)
        record.write(into: &json)
        return .json(200, json.bytes)
    }

    enum Style: String {
        case single, token, link, offset, page, keyset, sync
        /// Pages that are counted, where the one behind the last is not found.
        case counted
        /// Pages of groups, which hold the records.
        case nested
        case nextURL = "next_url"
        case nextHeader = "next_header"
    }
}

private struct Reader {
    let user: User
    let request: Request
    let since: Milliseconds?
    let until: Milliseconds?
    let limit: Int
    let cursorFault: CursorFault?
    let duplicates: Int
    var headers: [(String, String)] = []

    mutating func read(_ style: GenericSource.Style) throws(BadRequest) -> Answer {
        switch style {
        case .single:
            return answer(records(afterSeq: 0, limit: .max), next: nil) { _ in }
        case .offset: return try offset()
        case .page: return try numbered()
        case .counted: return try counted()
        case .nested: return try nested()
        case .keyset: return try keyset()
        case .sync: return try sync()
        case .token, .nextURL, .nextHeader, .link: return try cursored(style)
        }
    }

    /// Records of the span that is asked for: updated at `since` or later, and before `until`.
    private func records(afterSeq: Int, offset: Int = 0, limit: Int) -> Page<Record> {
        guard let until else {
            return user.records(since: since, afterSeq: afterSeq, offset: offset, limit: limit)
        }
        let all = user.records(since: since, afterSeq: afterSeq, limit: .max).items
            .filter { $0.updatedAt < until }.dropFirst(offset)
        return Page(items: Array(all.prefix(limit)), hasMore: all.count > limit)
    }

    private var recordCount: Int {
        until == nil
            ? user.recordCount(since: since) : records(afterSeq: 0, limit: .max).items.count
    }

    private mutating func cursored(_ style: GenericSource.Style) throws(BadRequest) -> Answer {
        let sent = request.query("cursor").flatMap { $0.isEmpty ? nil : $0 }
        let position = try sent.map(Cursor.decode) ?? nil
        let page = records(afterSeq: seq(position), limit: limit)
        let last = page.items.last.map { Position.seq($0.seq) }
        var next = page.hasMore ? Cursor.encode(last) : nil
        if let cursorFault {
            next = cursorFault.cursor(next: last, sent: sent, at: position, number: request.number)
        }
        let link = next.map(url)
        if let link, style == .nextHeader { headers.append(("X-Next", link)) }
        if let link, style == .link {
            let first = "<\(url(Cursor.encode(nil)))>; rel=\"first\""
            headers.append(("Link", "\(first), <\(link)>; rel=\"next\""))
        }
        return answer(page, next: next) { json in
            if let next, style == .token { json.field("next_token", next) }
            if let link, style == .nextURL { json.field("next", link) }
        }
    }

    private func seq(_ position: Position?) -> Int {
        if case .seq(let seq)? = position { return seq }
        return 0
    }

    /// The same request with another cursor.
    private func url(_ cursor: String) -> String {
        let others = request.queries.filter { $0.0 != "cursor" } + [("cursor", cursor)]
        let query = others.map { "\(percentEncoded($0.0))=\(percentEncoded($0.1))" }.joined(
            separator: "&")
        return "http://\(request.header("host") ?? "localhost")\(request.path)?\(query)"
    }

    private mutating func offset() throws(BadRequest) -> Answer {
        let total = recordCount
        var offset = try request.number("offset") ?? 0
        let asked = offset
        if case .endless? = cursorFault, total > 0 { offset %= total }
        let page = records(afterSeq: 0, offset: offset, limit: limit)
        return answer(page, next: nil) { json in
            json.field("offset", asked)
            json.field("total", cursorFault == nil ? total : total + 1_000_000_000)
        }
    }

    private mutating func numbered() throws(BadRequest) -> Answer {
        let number = try request.number("page") ?? 1
        guard number > 0 else { throw BadRequest("Invalid page") }
        let total = recordCount
        let last = max(1, (total + limit - 1) / limit)
        let shown = cursorFault == nil ? number - 1 : (number - 1) % last
        let (offset, overflow) = shown.multipliedReportingOverflow(by: limit)
        let page = records(
            afterSeq: 0, offset: overflow ? .max : offset, limit: limit)
        return answer(page, next: nil) { json in
            json.field("page", number)
            json.field("last_page", cursorFault == nil ? last : last + 1_000_000_000)
        }
    }

    private mutating func counted() throws(BadRequest) -> Answer {
        let number = try request.number("page") ?? 1
        let total = recordCount
        let last = max(1, (total + limit - 1) / limit)
        guard (1...last).contains(number) else { return .error(404, "Invalid page.") }
        let page = records(
            afterSeq: 0, offset: (number - 1) * limit, limit: limit)
        return answer(page, next: nil) { json in
            json.field("count", total)
            json.field("next_page", number + 1 <= last ? number + 1 : 0)
            json.field("is_last", number == last)
            if number < last { json.field("next", "\(request.path)?page=\(number + 1)") }
        }
    }

    /// Groups of three records in lists of their own, counted by group; each fourth group has none.
    private func nested() throws(BadRequest) -> Answer {
        let number = try request.number("page") ?? 1
        let items = records(afterSeq: 0, limit: .max).items
        var groups: [ArraySlice<Record>] = []
        for start in stride(from: 0, to: items.count, by: 3) {
            if groups.count % 4 == 3 { groups.append([]) }
            groups.append(items[start..<min(start + 3, items.count)])
        }
        let (first, isOver) = (number - 1).multipliedReportingOverflow(by: limit)
        let page = isOver || first < 0 ? [] : groups.dropFirst(first).prefix(limit)
        let shown = page.flatMap { $0 }
        let body = JSONText.object { json in
            json.field("total", groups.count)
            json.array("groups", of: page) { group, json in
                json.raw("{")
                json.key("items")
                json.raw("{")
                json.array("data", of: group) { $0.write(into: &$1) }
                json.field("has_more", false)
                json.raw("}}")
            }
        }
        var answer = Answer.json(200, body)
        answer.served = Answer.Served(
            records: shown.count, first: shown.first?.id, last: shown.last?.id, next: nil,
            versions: shown.map { ($0.id, $0.version) })
        return answer
    }

    private mutating func keyset() throws(BadRequest) -> Answer {
        let after = try request.number("after") ?? 0
        var page = records(afterSeq: after, limit: limit)
        if case .endless? = cursorFault, page.items.isEmpty {
            page = records(afterSeq: 0, limit: limit)
        }
        let greatest = page.items.last?.seq ?? after
        let reported =
            switch cursorFault {
            case nil, .empty?: greatest
            case .endless?: max(greatest, after &+ 1)
            case .repeated?, .loop?: after
            }
        return answer(page, next: String(reported)) { $0.field("maxSeqReturned", reported) }
    }

    private mutating func sync() throws(BadRequest) -> Answer {
        let sent = request.query("token").flatMap { $0.isEmpty ? nil : $0 }
        let position = try sent.map(Cursor.decode) ?? nil
        let page = user.records(since: nil, afterSeq: seq(position), limit: limit)
        let last = page.items.last.map { Position.seq($0.seq) } ?? position
        let token =
            cursorFault?.cursor(next: last, sent: sent, at: position, number: request.number)
            ?? Cursor.encode(last ?? .seq(0))
        return answer(page, next: token) { json in
            json.field("sync_token", token)
            json.field("more", page.hasMore || cursorFault != nil)
        }
    }

    private func answer(
        _ page: Page<Record>, next: String?, _ rest: (inout JSONText) -> Void
    ) -> Answer {
        var items = page.items
        if case .empty? = cursorFault { items = [] }
        items += items.prefix(duplicates)
        var json = JSONText(reserving: 64 + items.count * 120)
        json.raw("{")
        json.array("items", of: items) { $0.write(into: &$1) }
        rest(&json)
        json.raw("}")
        var answer = Answer.json(200, json.bytes)
        answer.headers += headers
        answer.served = Answer.Served(
            records: items.count, first: items.first?.id, last: items.last?.id, next: next,
            versions: items.map { ($0.id, $0.version) })
        return answer
    }
}
