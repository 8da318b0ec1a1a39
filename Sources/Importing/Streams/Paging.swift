import JSON
import JobFiles

/// How an entity goes from page to page, as `page`.
struct PageDraft {
    var style = "single"
    var members: [JSONMember] = []
    var size: Int?
    /// Numbers of the answer that make the next position together.
    var sum: [JSONValue] = []
    /// The places of which the first one with something leads on.
    var places: [[String]] = []
    /// What is sent as the position: the token, or an object around it.
    var sent = JSONValue.string("{page.token}")
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
        if let firstPosition {
            if draft.style == "offset" {
                draft.set("start", .integer(firstPosition))
            } else {
                leave(
                    "paginator", draft.style,
                    "a position that the request counts from another number")
            }
        }
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
            if start != 1 {
                draft.set("start", .integer(start))
                // Which page it is that no number names only the source knows.
                if strategy["inject_on_first_request"]?.bool != true {
                    draft.set("sends_start", .bool(false))
                }
            }
        }
        // Airbyte ends at a page that is not full.
        if draft.size != nil { draft.set("end", .string("short_page")) }
    }

    private func send(
        _ paginator: JSONValue, _ draft: inout PageDraft, _ request: inout RequestDraft
    ) {
        let sizeOption = paginator["page_size_option"]
        // A size beyond what page.size may be stands in the request itself; an empty page ends the pass then.
        let isKnown = (draft.size ?? 0) <= 10_000
        if let sizeOption, sizeOption != .null, let size = draft.size {
            _ = attempt("paginator.page_size_option") { () throws(Untranslatable) in
                try inject(sizeOption, isKnown ? "{page.size}" : "\(size)", into: &request)
            }
        }
        if !isKnown {
            draft.size = nil
            draft.members.removeAll { $0.name == "end" }
        }
        let needsToken = ["token", "page", "offset", "keyset"].contains(draft.style)
        guard needsToken, !sendsToken else { return }
        guard let option = paginator["page_token_option"], option != .null,
            option["type"]?.string != "RequestPath"
        else {
            // Every page would be the first one: a list that ends at all ends with it.
            note("the manifest sends no position, so that the first page is the whole list")
            let size = sizeOption == nil || sizeOption == .null ? nil : draft.size
            draft = PageDraft()
            draft.size = size
            return
        }
        _ = attempt("paginator.page_token_option") { () throws(Untranslatable) in
            try inject(option, draft.sent, into: &request)
        }
        sendsToken = true
    }
}
