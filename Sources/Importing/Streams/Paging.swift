import JSON
import JobFiles

/// How an entity goes from page to page, as `page`.
struct PageDraft {
    var style = "single"
    var members: [JSONMember] = []
    var size: Int?
    var isPaged: Bool { style != "single" }

    mutating func set(_ name: String, _ value: JSONValue) {
        members.removeAll { $0.name == name }
        members.append(JSONMember(name, value))
    }

    var json: JSONValue {
        var all = [JSONMember("style", .string(style))] + members
        if let size { all.append(JSONMember("size", .integer(size))) }
        return .object(all)
    }
}

extension StreamContext {
    /// The paging of a retriever; where the position and the size are sent is added to the request.
    func page(_ paginator: JSONValue?, records: [String], into request: inout RequestDraft)
        -> PageDraft
    {
        guard let paginator, paginator != .null else { return PageDraft() }
        parameters = paginator["$parameters"] ?? .null
        switch paginator.type(usually: "DefaultPaginator") {
        case "NoPagination": return PageDraft()
        case "DefaultPaginator": break
        case let other:
            leave("paginator", other, "no style of page does that")
            return PageDraft()
        }
        let strategy = paginator["pagination_strategy"] ?? .null
        var draft = PageDraft()
        draft.size =
            attempt("paginator.page_size") { () throws(Untranslatable) in
                try self.size(strategy["page_size"])
            } ?? nil
        switch strategy["type"]?.string {
        case "PageIncrement": counted("page", strategy, &draft)
        case "OffsetIncrement": counted("offset", strategy, &draft)
        case "CursorPagination":
            cursor(strategy, paginator["page_token_option"], records, &draft)
        case let other:
            leave(
                "paginator", strategy["class_name"]?.string ?? other ?? "",
                "Python that finds the next page")
        }
        send(paginator, &draft, &request)
        return draft
    }

    private func size(_ value: JSONValue?) throws(Untranslatable) -> Int? {
        guard let value, value != .null else { return nil }
        if let number = value.int { return number > 0 ? number : nil }
        let mixed = try substituted(value.string ?? "")
        if let plain = mixed.plain { return Int(plain) }
        guard let place = mixed.alone?.without(["int"]).reference, place.root == "config" else {
            if let number = mixed.alone?.literal?.int { return number }
            throw Untranslatable(value.text, "a size that is no number")
        }
        let standard =
            place.fallback?.literal?.int ?? config.entry(place.path)?.standard?.int
            ?? place.fallback?.literalText.flatMap { Int($0) }
        guard let standard else {
            throw Untranslatable(
                value.text, "a size that a user chooses, without a default",
                nearest: "page.size with a number of yours")
        }
        note(
            "config.\(place.path.joined(separator: ".")) stands in the file: page.size \(standard)")
        return standard
    }

    private func counted(_ style: String, _ strategy: JSONValue, _ draft: inout PageDraft) {
        draft.style = style
        if style == "page" {
            let start = strategy["start_from_page"]?.int ?? 0
            if start != 1 { draft.set("start", .integer(start)) }
        }
        // Airbyte ends at a page that is not full.
        if draft.size != nil { draft.set("end", .string("short_page")) }
    }

    private func cursor(
        _ strategy: JSONValue, _ option: JSONValue?, _ records: [String], _ draft: inout PageDraft
    ) {
        let isPath = option?["type"]?.string == "RequestPath"
        let text = strategy["cursor_value"]?.scalarText ?? ""
        let place = "paginator.cursor_value"
        guard
            let mixed = attempt(place, { () throws(Untranslatable) in try self.substituted(text) })
        else { return }
        guard let value = mixed.alone?.without(["tojson", "string", "int", "trim", "urlencode"])
        else {
            return leave(place, text, "the next position is put together")
        }
        var token: [String]?
        if value.isLink {
            draft.style = "link_header"
        } else if let path = value.answerPath ?? value.addressPath, !path.isEmpty {
            if isPath || value.answerPath == nil {
                draft.style = "next_url"
                draft.set("url_at", .string(pathText(path)))
            } else {
                draft.style = "token"
                draft.set("token_at", .string(pathText(path)))
            }
            token = path
        } else if value.isLinkCut {
            draft.style = "link_header"
        } else if let found = value.reference, found.root == "last_record", !found.path.isEmpty,
            !isPath
        {
            draft.style = "token"
            draft.set("token_at", .object([JSONMember("last", .string(pathText(found.path)))]))
        } else if let found = value.reference, found.root == "headers", found.path.count == 1,
            found.fallback == nil
        {
            draft.style = isPath ? "next_url" : "token"
            draft.set(
                isPath ? "url_header" : "token_at",
                isPath
                    ? .string(found.path[0])
                    : .object([JSONMember("header", .string(found.path[0]))]))
        } else if let path = value.lastElementPath(of: records), !isPath {
            draft.style = "token"
            draft.set("token_at", .object([JSONMember("last", .string(pathText(path)))]))
        } else if case .binary("+", let inner, .literal(.number("1"))) = value,
            let path = inner.without(["int"]).answerPath, !isPath
        {
            // The source says which page this one is, and the next one follows it.
            draft.style = "page"
            token = path
        } else {
            return leave(
                place, text, "the next position is made by an expression",
                nearest: "style offset or page, if the source takes a number")
        }
        stop(strategy["stop_condition"], token, records, &draft)
    }

    private func stop(
        _ condition: JSONValue?, _ token: [String]?, _ records: [String], _ draft: inout PageDraft
    ) {
        guard let condition, condition != .null, condition != .string("") else { return }
        let text = condition.scalarText ?? ""
        guard
            let mixed = attempt(
                "paginator.stop_condition",
                { () throws(Untranslatable) in try self.substituted(text) })
        else { return }
        let expression = mixed.alone ?? mixed.plain.flatMap { ExpressionParser.parse($0) }
        guard let expression, let signs = expression.stopSigns(records: records, size: draft.size)
        else {
            return leave(
                "paginator.stop_condition", text, "a condition that more_at and end can't say")
        }
        for sign in signs { add(sign, text, token, &draft) }
    }

    private func add(_ sign: StopSign, _ text: String, _ token: [String]?, _ draft: inout PageDraft)
    {
        let isCounted = draft.style == "page" || draft.style == "offset"
        switch sign {
        case .never, .nothingInLink: break
        case .nothingAt(let path):
            // What leads to the token, or is it: the style's own sign.
            if let token, token.starts(with: path), !isCounted { return }
            if draft.style == "link_header" || draft.style == "next_url" && token == nil {
                return more(path, &draft)
            }
            more(path, &draft)
        case .falseAt(let path):
            if let token, token == path { return }
            more(path, &draft)
        case .trueAt(let path):
            guard draft.style == "page" else {
                return leave(
                    "paginator.stop_condition", text, "a place that is true on the last page",
                    nearest: "more_at, where the source has such a place")
            }
            draft.set("last_at", .string(pathText(path)))
        case .emptyPage:
            if !isCounted { draft.set("end", .string("empty_page")) }
        case .shortPage(let size):
            if draft.size == nil { draft.size = size }
            guard draft.size == size else {
                return leave(
                    "paginator.stop_condition", text,
                    "a page is short below another number than its size")
            }
            draft.set("end", .string("short_page"))
        }
    }

    private func more(_ path: [String], _ draft: inout PageDraft) {
        draft.set("more_at", .string(pathText(path)))
    }

    private func send(
        _ paginator: JSONValue, _ draft: inout PageDraft, _ request: inout RequestDraft
    ) {
        let sizeOption = paginator["page_size_option"]
        if let sizeOption, sizeOption != .null, let size = draft.size {
            // A size beyond what page.size may be stands in the request itself; an empty page ends the pass then.
            let isKnown = size <= 10_000
            _ = attempt("paginator.page_size_option") { () throws(Untranslatable) in
                try inject(sizeOption, isKnown ? "{page.size}" : "\(size)", into: &request)
            }
            if !isKnown {
                draft.size = nil
                draft.members.removeAll { $0.name == "end" }
            }
        }
        let needsToken = ["token", "page", "offset", "keyset"].contains(draft.style)
        guard needsToken, !sendsToken else { return }
        guard let option = paginator["page_token_option"], option != .null,
            option["type"]?.string != "RequestPath"
        else {
            return leave(
                "paginator.page_token_option",
                paginator["pagination_strategy"]?["type"]?.string ?? "",
                "nothing says where the position is sent")
        }
        _ = attempt("paginator.page_token_option") { () throws(Untranslatable) in
            try inject(option, "{page.token}", into: &request)
        }
        sendsToken = true
    }
}

extension Expression {
    /// `response.data[-1].id`: the place in the last element of the records' list.
    fileprivate func lastElementPath(of records: [String]) -> [String]? {
        switch self {
        case .member(.index(let list, .literal(.number("-1"))), let name):
            return list.answerPath == records ? [name] : nil
        case .choice(let value, let condition, let other)
        where other.isEmpty && condition.answerPath == records:
            return value.lastElementPath(of: records)
        case .member(let inner, let name):
            return inner.lastElementPath(of: records).map { $0 + [name] }
        default: return nil
        }
    }

    /// The place of an address that the position is cut out of: the whole address leads to the next page as well.
    fileprivate var addressPath: [String]? { cutSource.flatMap(\.answerPath) }

    fileprivate var isLinkCut: Bool { cutSource?.isLink ?? false }

    private var cutSource: Expression? {
        switch self {
        case .filter(let inner, let name, _) where ["regex_search", "last", "first"].contains(name):
            inner.cutSource ?? inner
        case .call(.member(let inner, let name), _, _) where ["split", "replace"].contains(name):
            inner.cutSource ?? inner
        case .index(let inner, .literal(.number)): inner.cutSource
        case .choice(let then, _, let other) where other.isEmpty: then.cutSource
        default: nil
        }
    }
}
