import JSON
import JobFiles

// Where an answer has the position of the next page, and what says that there is none.
extension StreamContext {
    func cursor(
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
        guard follow(value, isPath: isPath, records, &draft) else {
            return leave(
                place, text, "the next position is made by an expression",
                nearest: "style offset or page, if the source takes a number")
        }
        stop(strategy["stop_condition"], records, &draft)
    }

    /// The style that goes on as an expression says; false where there is none.
    private func follow(
        _ value: Expression, isPath: Bool, _ records: [String], _ draft: inout PageDraft
    ) -> Bool {
        if value.isLink || value.isLinkCut {
            draft.style = "link_header"
        } else if let path = value.answerPath ?? value.addressPath, !path.isEmpty {
            if isPath || value.answerPath == nil {
                draft.style = "next_url"
                draft.set("url_at", .string(pathText(path)))
            } else {
                draft.style = "token"
                draft.set("token_at", .string(pathText(path)))
            }
            draft.places = [path]
        } else if isPath, let places = value.firstPlaces {
            draft.style = "next_url"
            draft.set("url_at", .array(places.map { .string(pathText($0)) }))
            draft.places = places
        } else if isPath {
            guard let name = value.headerName else { return false }
            draft.style = "next_url"
            draft.set("url_header", .string(name))
        } else {
            return followToken(value, records, &draft)
        }
        return true
    }

    private func followToken(
        _ value: Expression, _ records: [String], _ draft: inout PageDraft
    ) -> Bool {
        draft.style = "token"
        if let found = value.reference, found.root == "last_record", !found.path.isEmpty {
            draft.set("token_at", .object([JSONMember("last", .string(pathText(found.path)))]))
        } else if let name = value.headerName {
            draft.set("token_at", .object([JSONMember("header", .string(name))]))
        } else if let path = value.lastElementPath(of: records) {
            draft.set("token_at", .object([JSONMember("last", .string(pathText(path)))]))
        } else if let sum = value.positionSum {
            draft.set("token_at", .object([JSONMember("sum", .array(sum))]))
            draft.sum = sum
        } else if let found = value.objectAroundToken {
            draft.set("token_at", .string(pathText(found.path)))
            draft.places = [found.path]
            draft.sent = found.object
        } else {
            return false
        }
        return true
    }

    private func stop(_ condition: JSONValue?, _ records: [String], _ draft: inout PageDraft) {
        guard let condition, condition != .null, condition != .string("") else { return }
        let text = condition.scalarText ?? ""
        guard
            let mixed = attempt(
                "paginator.stop_condition",
                { () throws(Untranslatable) in try self.substituted(text) })
        else { return }
        let expression = mixed.alone ?? mixed.plain.flatMap { ExpressionParser.parse($0) }
        let signs = expression?.stopSigns(records: records, size: draft.size)
        guard let signs, self.add(signs, &draft) else {
            return leave(
                "paginator.stop_condition", text, "a condition that more_at and end can't say")
        }
    }

    /// False where the page of that style has no word for one of the signs.
    private func add(_ signs: [StopSign], _ draft: inout PageDraft) -> Bool {
        // What two places say of each other may be written in either order.
        let isEqual =
            signs.count == 2 && signs.allSatisfy { if case .meets = $0 { true } else { false } }
        if isEqual { return add(signs[0], &draft) || add(signs[1], &draft) }
        return signs.allSatisfy { add($0, &draft) }
    }

    /// False where the page of that style has no word for the sign.
    private func add(_ sign: StopSign, _ draft: inout PageDraft) -> Bool {
        let isCounted = draft.style == "page" || draft.style == "offset"
        switch sign {
        case .never, .nothingInLink: break
        case .nothingAt(let path):
            // What leads to the token, or is it: the style's own sign.
            if draft.places.count == 1, draft.places[0].starts(with: path), !isCounted { break }
            if draft.sum.contains(.string(pathText(path))) { break }
            draft.set("more_if", .string(pathText(path)))
        case .nothingAtAll(let paths):
            guard Set(paths) == Set(draft.places) else { return false }
        case .falseAt(let path):
            if draft.places != [path] { draft.set("more_at", .string(pathText(path))) }
        case .trueAt(let path):
            draft.set("last_at", .string(pathText(path)))
        case .link(let name, let value):
            guard draft.style == "link_header" else { return false }
            draft.set("end_if", .object([JSONMember(name, .string(value))]))
        case .reaches(let sum, let bound):
            guard draft.sum == sum else { return false }
            draft.set(
                "token_at",
                .object([
                    JSONMember("sum", .array(sum)), JSONMember("below", .string(pathText(bound))),
                ]))
        case .meets(let places):
            // The last page has the number of pages for its own, so that they are counted from 1.
            let following = [JSONValue.string(pathText(places[0])), .integer(1)]
            guard Set(draft.sum.map(\.text)) == Set(following.map(\.text)) else { return false }
            draft.style = "page"
            draft.members.removeAll { $0.name == "token_at" }
            draft.set("last_at", .string(pathText(places[1])))
        case .emptyPage:
            if !isCounted { draft.set("end", .string("empty_page")) }
        case .shortPage(let size):
            if draft.size == nil { draft.size = size }
            guard draft.size == size else { return false }
            draft.set("end", .string("short_page"))
        }
        return true
    }
}

extension Expression {
    /// The header field that the expression stands for.
    fileprivate var headerName: String? {
        guard let found = reference, found.root == "headers", found.path.count == 1,
            found.fallback == nil
        else { return nil }
        return found.path[0]
    }

    /// Places of the answer of which the first that has something counts.
    fileprivate var firstPlaces: [[String]]? {
        switch self {
        case .binary("or", let left, let right), .fallback(let left, let right):
            guard let first = left.firstPlaces, let second = right.firstPlaces else { return nil }
            return first + second
        default: return answerPath.flatMap { $0.isEmpty ? nil : [$0] }
        }
    }

    /// `response.start + response.count`, as the addends of a job file.
    var positionSum: [JSONValue]? {
        guard case .binary("+", let left, let right) = without(["int"]),
            let first = left.addends, let second = right.addends
        else { return nil }
        let all = first + second
        return all.contains { $0.string != nil } ? all : nil
    }

    private var addends: [JSONValue]? {
        if let number = literal?.int { return [.integer(number)] }
        if case .binary("+", let left, let right) = without(["int"]) {
            guard let first = left.addends, let second = right.addends else { return nil }
            return first + second
        }
        return answerPath.flatMap { $0.isEmpty ? nil : [.string(pathText($0))] }
    }

    /// `'{"after": "' + response.end + '"}'`: an object whose only value is the token.
    fileprivate var objectAroundToken: (object: JSONValue, path: [String])? {
        if case .choice(let value, let condition, let other) = self, other.isEmpty {
            guard let found = value.objectAroundToken, condition.answerPath == found.path else {
                return nil
            }
            return found
        }
        guard case .binary("+", .binary("+", let before, let middle), let after) = self,
            let head = before.literal?.string, let tail = after.literal?.string,
            let path = middle.answerPath, !path.isEmpty,
            let document = try? JSONDocument(parsing: Array((head + "token" + tail).utf8)),
            let object = document.root.value?.holdingAlone("token")
        else { return nil }
        return (object, path)
    }

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

extension JSONValue {
    /// The same with the position in place of a text which is all that it holds; nil where it holds more.
    fileprivate func holdingAlone(_ token: String) -> JSONValue? {
        if self == .string(token) { return .string("{page.token}") }
        guard let members, members.count == 1,
            let inner = members[0].value.holdingAlone(token)
        else { return nil }
        return .object([JSONMember(members[0].name, inner)])
    }
}
