import JSON
import JobFiles

// Conditions on records.
extension StreamContext {
    /// A condition on records, as `keep_if`.
    func filter(_ filter: JSONValue?, into draft: inout RecordsDraft) {
        guard let filter, filter != .null else { return }
        parameters = filter["$parameters"] ?? .null
        guard filter.type(usually: "RecordFilter") == "RecordFilter" else {
            return leave(
                "record_filter", filter["class_name"]?.string ?? "", "Python that chooses records")
        }
        let text = filter["condition"]?.string ?? ""
        guard !text.isEmpty else { return }
        guard
            let mixed = attempt(
                "record_filter", { () throws(Untranslatable) in try self.substituted(text) }),
            let expression = mixed.alone, let rules = rules(of: expression, draft)
        else {
            if !left.contains(where: { $0.place == "record_filter" }) {
                leave("record_filter", text, "a condition that keep_if can't say")
            }
            return
        }
        draft.keepIf = rules
    }

    private func rules(of expression: Expression, _ draft: RecordsDraft) -> [JSONValue]? {
        func place(_ expression: Expression) -> [String]? {
            guard let found = expression.reference, found.root == "record", found.fallback == nil,
                !found.path.isEmpty
            else { return nil }
            return found.path
        }
        func rule(_ path: [String], _ word: String, _ value: JSONValue, type: String? = nil)
            -> [JSONValue]
        {
            var members = [JSONMember("at", .string(pathText(path)))]
            if let type, type != "text" { members.append(JSONMember("type", .string(type))) }
            members.append(JSONMember(word, value))
            return [.object(members)]
        }
        func type(of value: JSONValue) -> String {
            switch value {
            case .bool: "bool"
            case .number(let text): Int(text) == nil ? "double" : "int"
            default: "text"
            }
        }
        switch expression {
        case .binary("and", let left, let right):
            guard let first = rules(of: left, draft), let second = rules(of: right, draft) else {
                return nil
            }
            return first + second
        case .binary(let mark, let left, .literal(let value)):
            let words = ["==": "eq", "!=": "ne", ">": "gt", ">=": "gte", "<": "lt", "<=": "lte"]
            guard let path = place(left), let word = words[mark] else { return nil }
            if value == .null {
                return mark == "!="
                    ? rule(path, "present", .bool(true))
                    : mark == "==" ? rule(path, "present", .bool(false)) : nil
            }
            return rule(path, word, value, type: type(of: value))
        case .binary("in", let left, .list(let elements)):
            let values = elements.compactMap(\.literal)
            guard let path = place(left), values.count == elements.count, let first = values.first
            else { return nil }
            return rule(path, "in", .array(values), type: type(of: first))
        case .binary(">=", let left, let right), .binary(">", let left, let right):
            // What is older than the window was read before.
            guard left.isOfRecord, let bound = right.reference,
                ["stream_slice", "stream_interval", "stream_state"].contains(bound.root)
            else { return nil }
            return []
        case .test(let inner, "none", let isNegated), .test(let inner, "defined", let isNegated):
            let isDefined = if case .test(_, "defined", _) = expression { true } else { false }
            return place(inner).map { rule($0, "present", .bool(isDefined != isNegated)) }
        case .name("record"):
            // A record that holds nothing has no key either.
            return []
        case .not(.binary("in", let left, .list(let elements))) where elements == [.null]:
            return place(left).map { rule($0, "present", .bool(true)) }
        case .not(let inner):
            guard let path = place(inner), draft.fields.field(at: path)?.type == "bool" else {
                return nil
            }
            return rule(path, "ne", .bool(true), type: "bool")
        default:
            guard let path = place(expression) else { return nil }
            switch draft.fields.field(at: path)?.type {
            case "bool": return rule(path, "eq", .bool(true), type: "bool")
            default: return nil
            }
        }
    }
}

extension Expression {
    /// A value of the record, whichever.
    fileprivate var isOfRecord: Bool {
        switch self {
        case .name(let name): name == "record"
        case .member(let inner, _), .index(let inner, _): inner.isOfRecord
        default: false
        }
    }
}
