import JSON

/// What a `stop_condition` says of the page that it is asked about.
enum StopSign: Equatable {
    /// There is nothing at that place of the answer.
    case nothingAt([String])
    case falseAt([String])
    case trueAt([String])
    /// There is nothing at any of the places.
    case nothingAtAll([[String]])
    /// The link to the next page has that value of a parameter.
    case link(String, String)
    /// The sum is no longer below the number at the place.
    case reaches([JSONValue], [String])
    /// The number of the page, at the first of the places, is that of the last one.
    case meets([[String]])
    case nothingInLink
    case emptyPage
    case shortPage(Int)
    case never
}

extension Expression {
    /// The signs any of which ends the pass; nil for a condition that is more than that.
    func stopSigns(records: [String], size: Int?) -> [StopSign]? {
        switch self {
        case .binary("or", let left, let right):
            guard let first = left.stopSigns(records: records, size: size),
                let second = right.stopSigns(records: records, size: size)
            else { return nil }
            return first + second
        case .choice(.literal(.bool(true)), let condition, .literal(.bool(false))):
            return condition.stopSigns(records: records, size: size)
        case .not(.binary("and", let left, let right)):
            return Expression.binary("or", .not(left), .not(right)).stopSigns(
                records: records, size: size)
        case .binary("and", let left, let right):
            return both(left, right, records: records, size: size)
        case .literal(.bool(false)), .literal(.string("false")), .literal(.string("False")),
            .literal(.null):
            return [.never]
        case .not(let inner): return Self.absent(inner, records)
        case .test(let inner, "none", isNegated: false),
            .test(let inner, "undefined", isNegated: false),
            .test(let inner, "defined", isNegated: true):
            return Self.absent(inner, records)
        case .test(let inner, "false", isNegated: false):
            return inner.answerPath.map { [.falseAt($0)] }
        case .test(let inner, "true", isNegated: false):
            return inner.answerPath.map { [.trueAt($0)] }
        case .binary("==", let left, let right)
        where right.isEmpty || right.literal == .string("null") || right.literal == .string("None"):
            if right.literal == .bool(false) { return left.answerPath.map { [.falseAt($0)] } }
            return Self.absent(left, records)
        case .binary("==", let left, .literal(let value)): return Self.equal(left, value, records)
        case .binary(let mark, let left, let right)
        where [">=", "=="].contains(mark) && right.answerPath?.isEmpty == false
            && (left.positionSum != nil || left.answerPath?.isEmpty == false):
            return Self.compared(left, right, isEqual: mark == "==")
        case .binary("<", let left, let right), .binary(">", let right, let left):
            return Self.less(left, right, records, size, orEqual: false)
        case .binary("<=", let left, let right), .binary(">=", let right, let left):
            return Self.less(left, right, records, size, orEqual: true)
        default: return answerPath.map { $0.isEmpty ? nil : [.trueAt($0)] } ?? nil
        }
    }

    /// Where one of two conditions follows from the other, the other one counts.
    private func both(_ left: Expression, _ right: Expression, records: [String], size: Int?)
        -> [StopSign]?
    {
        guard let first = left.stopSigns(records: records, size: size),
            let second = right.stopSigns(records: records, size: size)
        else { return nil }
        if first == second { return first }
        let places = (first + second).compactMap { sign -> [[String]]? in
            switch sign {
            case .nothingAt(let path): [path]
            case .nothingAtAll(let paths): paths
            default: nil
            }
        }
        if places.count == first.count + second.count {
            return [.nothingAtAll(places.flatMap(\.self))]
        }
        if case .trueAt(let path)? = first.first, first.count == 1,
            case .nothingAt(let other)? = second.first, second.count == 1, other.starts(with: path)
        {
            return second
        }
        return nil
    }

    private static func absent(_ inner: Expression, _ records: [String]) -> [StopSign]? {
        if case .binary("in", .literal(.string(let name)), let holder) = inner {
            return absent(.member(holder, name), records)
        }
        if inner.isLink { return [.nothingInLink] }
        if case .name("last_record") = inner { return [.emptyPage] }
        if case .name("last_page_size") = inner { return [.emptyPage] }
        guard let path = inner.without(["length", "list"]).answerPath else { return nil }
        return path == records ? [.emptyPage] : [.nothingAt(path)]
    }

    private static func equal(_ left: Expression, _ value: JSONValue, _ records: [String])
        -> [StopSign]?
    {
        if value == .number("0") {
            if left == .name("last_page_size") { return [.emptyPage] }
            if case .filter(let inner, "length", _) = left { return absent(inner, records) }
        }
        if let found = left.reference, found.root == "headers", found.path.count == 3,
            found.path[0].lowercased() == "link", found.path[1] == "next",
            let text = value.string
        {
            return [.link(found.path[2], text)]
        }
        guard let path = left.answerPath else { return nil }
        switch value {
        case .bool(true), .string("true"): return [.trueAt(path)]
        case .string("false"): return [.falseAt(path)]
        case .number("0"):
            // What is not there is no 0, unless the manifest says so.
            if case .fallback = left.without(["tojson", "string", "int", "trim"]) {
                return [.nothingAt(path)]
            }
            return nil
        default: return nil
        }
    }

    private static func compared(_ left: Expression, _ right: Expression, isEqual: Bool)
        -> [StopSign]?
    {
        guard let bound = right.answerPath else { return nil }
        if let sum = left.positionSum { return isEqual ? nil : [.reaches(sum, bound)] }
        guard let page = left.answerPath else { return nil }
        return [.meets([page, bound])] + (isEqual ? [.meets([bound, page])] : [])
    }

    private static func less(
        _ left: Expression, _ right: Expression, _ records: [String], _ size: Int?, orEqual: Bool
    ) -> [StopSign]? {
        var counted = left == .name("last_page_size")
        if case .filter(let inner, let name, _) = left, ["length", "count"].contains(name) {
            counted = inner.without(["list"]).answerPath == records
        }
        guard counted else { return nil }
        let bound = right.literal?.int ?? (right.reference != nil ? size : nil)
        guard var bound else { return nil }
        if orEqual { bound += 1 }
        return bound <= 1 ? [.emptyPage] : [.shortPage(bound)]
    }

    /// `headers.link.next.url`, or a part of the way there.
    var isLink: Bool {
        guard let place = without(["string"]).reference, place.root == "headers" else {
            return false
        }
        return ["link", "Link"].contains(place.path.first ?? "")
    }
}
