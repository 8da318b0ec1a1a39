import JSON
import JobFiles

/// What a stream's error handlers come to.
struct ErrorDraft {
    var rules: [JSONValue] = []
    /// Header fields that name a wait, beside `Retry-After`.
    var waitHeaders: [String] = []
}

extension StreamContext {
    /// By their status alone they say nothing of a list: a refused credential, and what asks for patience.
    private static let unclear = [401, 408, 421, 425, 429]

    func errors(_ handler: JSONValue?) -> ErrorDraft {
        var draft = ErrorDraft()
        add(handler, to: &draft)
        // The rules behind the last one that changes something only say what holds anyway.
        while let last = draft.rules.last, last["then"] == .string("fail"), last["body"] == nil {
            draft.rules.removeLast()
        }
        return draft
    }

    private func add(_ handler: JSONValue?, to draft: inout ErrorDraft) {
        guard let handler, handler != .null else { return }
        switch handler.type(usually: "DefaultErrorHandler") {
        case "CompositeErrorHandler":
            for inner in handler["error_handlers"]?.elements ?? [] { add(inner, to: &draft) }
        case "DefaultErrorHandler":
            parameters = handler["$parameters"] ?? .null
            for filter in handler["response_filters"]?.elements ?? [] {
                add(filter: filter, to: &draft)
            }
            for strategy in handler["backoff_strategies"]?.elements ?? [] {
                add(wait: strategy, to: &draft)
            }
        case let other:
            leave(
                "error_handler", handler["class_name"]?.string ?? other,
                "Python that decides what an error is")
        }
    }

    /// The runner waits as the source says, and by itself longer and longer.
    private func add(wait strategy: JSONValue, to draft: inout ErrorDraft) {
        switch strategy["type"]?.string {
        case "WaitTimeFromHeader", "WaitUntilTimeFromHeader":
            guard let name = strategy["header"]?.string, !name.contains("{{") else { return }
            if name.lowercased() != "retry-after", !draft.waitHeaders.contains(name) {
                draft.waitHeaders.append(name)
            }
        case "CustomBackoffStrategy":
            note("a backoff in Python is left out; the runner waits as the source says")
        default: break
        }
    }

    private func add(filter: JSONValue, to draft: inout ErrorDraft) {
        let action = filter["action"]?.string?.uppercased() ?? "FAIL"
        let statuses = (filter["http_codes"]?.elements ?? []).compactMap(\.int)
        var tests: [JSONValue?] = []
        if let words = filter["error_message_contains"]?.string, !words.isEmpty {
            tests = [.test("", "contains", .string(words))]
        }
        predicateStatus = nil
        if let predicate = filter["predicate"]?.string, !predicate.isEmpty {
            guard
                let found = attempt(
                    "error_handler.predicate",
                    { () throws(Untranslatable) in try self.bodyTests(predicate) })
            else { return }
            tests += found
        }
        // A filter fits by any of its conditions.
        if !statuses.isEmpty { add(action, statuses, nil, to: &draft) }
        for test in tests { add(action, [], test, to: &draft) }
    }

    private func add(
        _ action: String, _ statuses: [Int], _ test: JSONValue?, to draft: inout ErrorDraft
    ) {
        let isAny = statuses.isEmpty
        guard !isAny || test != nil else { return }
        // A test of the body alone is for whatever answer comes.
        var codes =
            isAny ? [200, 400, 401, 402, 403, 404, 405, 406, 409, 410, 412, 422, 429] : statuses
        if isAny, let predicateStatus { codes = [predicateStatus] }
        codes = codes.filter { (200...299).contains($0) || (400...599).contains($0) }
        let then: String
        switch action {
        case "IGNORE", "SUCCESS":
            then = "skip"
            if test == nil {
                let plain = codes.filter { !Self.unclear.contains($0) }
                if plain.count < codes.count {
                    note(
                        "\(codes.filter { Self.unclear.contains($0) }.map(String.init).joined(separator: ", ")) is not ignored: it is a refused credential, or asks for patience"
                    )
                }
                codes = plain.filter { $0 >= 400 }
            }
        case "RETRY", "RATE_LIMITED":
            then = "retry"
            if test == nil {
                codes = codes.filter {
                    (400..<500).contains($0) && ![401, 408, 421, 429].contains($0)
                        || (200..<300).contains($0)
                }
            }
        case "FAIL":
            then = "fail"
            if test == nil {
                codes = codes.filter { (400..<500).contains($0) && !Self.unclear.contains($0) }
            }
        case "REFRESH_TOKEN_THEN_RETRY": return
        default:
            leave("error_handler", "action: \(action)", "no rule of errors does that")
            return
        }
        let taken = draft.rules.filter { $0["body"] == nil && $0["then"] != .string("end") }
            .flatMap { ($0["status"]?.elements ?? []).compactMap(\.int) }
        codes = codes.filter { !taken.contains($0) }
        guard !codes.isEmpty else { return }
        var members = [JSONMember("status", .array(codes.map { .integer($0) }))]
        if let test { members.append(JSONMember("body", test)) }
        // What is ignored has no records: behind the first page a counted list ends there.
        // A status that may pass says nothing of the end, and fails there.
        let ends = codes.filter { $0 < 500 && $0 != 403 && !Self.unclear.contains($0) }
        if then == "skip", countsPages, !ends.isEmpty {
            var ending = members
            ending[0].value = .array(ends.map { .integer($0) })
            ending.append(JSONMember("then", .string("end")))
            if !draft.rules.contains(.object(ending)) { draft.rules.append(.object(ending)) }
        }
        let rule = JSONValue.object(members + [JSONMember("then", .string(then))])
        if !draft.rules.contains(rule) { draft.rules.append(rule) }
    }

    /// The tests of which one must hold.
    private func bodyTests(_ predicate: String) throws(Untranslatable) -> [JSONValue?] {
        guard let expression = try MixedText(predicate.trimmingSpace).alone else {
            throw Untranslatable(predicate, "a condition that is no expression")
        }
        return try alternatives(expression, predicate)
    }

    private func alternatives(_ expression: Expression, _ written: String) throws(Untranslatable)
        -> [JSONValue?]
    {
        if case .binary("or", let left, let right) = expression {
            return try alternatives(left, written) + alternatives(right, written)
        }
        guard let test = bodyTest(expression) else {
            throw Untranslatable(written, "a condition on the body that errors can't say")
        }
        return [test]
    }

    private func bodyTest(_ expression: Expression) -> JSONValue? {
        switch expression {
        case .binary("==", let left, .literal(let value)):
            return left.answerPath.map { .test($0, "eq", value) }
        case .binary("!=", let left, .literal(let value)):
            return left.answerPath.map { .test($0, "ne", value) }
        case .binary("in", .literal(.string(let text)), let holder):
            guard let path = holder.withoutCase.answerPath else { return nil }
            // A word alone names a key of an object, and words stand in a text.
            let isName =
                path.isEmpty && !text.contains(" ")
                || text.allSatisfy { $0.isLetter && $0.isLowercase || $0 == "_" } && path.isEmpty
            return isName
                ? .test(path + [text], "filled", .bool(true))
                : .test(path, "contains", .string(text))
        case .binary("in", let left, .list(let elements)):
            let values = elements.compactMap(\.literal)
            guard values.count == elements.count, let path = left.answerPath else { return nil }
            return .test(path, "in", .array(values))
        case .binary("and", .binary("==", let left, .literal(.number(let text))), let right)
        where [["status"], ["status_code"]].contains(left.answerPath ?? []):
            // Such a body repeats the status of its answer.
            predicateStatus = Int(text)
            return bodyTest(right)
        case .binary("and", let left, let right):
            // That the place is there at all is said by what is said of it.
            if let path = left.askedPath, let inner = right.testedPath, inner.starts(with: path) {
                return bodyTest(right)
            }
            return nil
        case .not(let inner): return inner.answerPath.map { .test($0, "filled", .bool(false)) }
        default:
            return expression.answerPath.flatMap {
                $0.isEmpty ? nil : .test($0, "filled", .bool(true))
            }
        }
    }
}

extension Expression {
    /// `x.lower()` as `x`: words are compared whatever their case.
    fileprivate var withoutCase: Expression {
        if case .call(.member(let inner, "lower"), _, _) = self {
            inner
        } else {
            without(["lower"])
        }
    }

    /// The place that a condition asks for.
    fileprivate var askedPath: [String]? {
        switch self {
        case .binary("in", .literal(.string(let name)), let holder):
            holder.answerPath.map { $0 + [name] }
        case .binary("and", _, let right): right.askedPath
        default: answerPath
        }
    }

    fileprivate var testedPath: [String]? {
        switch self {
        case .binary("==", let left, _), .binary("!=", let left, _): left.answerPath
        case .binary("in", .literal, let right): right.withoutCase.answerPath
        case .binary("in", let left, _): left.answerPath
        case .binary("and", let left, _): left.testedPath ?? left.askedPath
        default: answerPath
        }
    }
}

extension JSONValue {
    fileprivate static func test(_ path: [String], _ word: String, _ value: JSONValue) -> JSONValue
    {
        test(pathText(path), word, value)
    }

    fileprivate static func test(_ path: String, _ word: String, _ value: JSONValue) -> JSONValue {
        .object([JSONMember("at", .string(path)), JSONMember(word, value)])
    }
}

/// As a job file writes a path of names.
func pathText(_ names: [String]) -> String {
    Path(steps: names.map { .member($0) }).description
}
