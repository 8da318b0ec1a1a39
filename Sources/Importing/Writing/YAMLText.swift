import JSON
import JobFiles

/// Plain data as YAML for people: blocks outside, short things on one line.
enum YAMLText {
    private static let widthMax = 100

    static func text(of value: JSONValue) -> String {
        block(value, indent: 0)
    }

    private static func block(_ value: JSONValue, indent: Int) -> String {
        let space = String(repeating: " ", count: indent)
        switch value {
        case .object(let members) where !members.isEmpty:
            return members.map { member in
                let key = scalar(member.name, isKey: true)
                let line = "\(space)\(key): \(flow(member.value))"
                if isShort(member.value), line.count <= widthMax { return line + "\n" }
                guard isNested(member.value) else { return line + "\n" }
                return "\(space)\(key):\n" + block(member.value, indent: indent + 2)
            }.joined()
        case .array(let elements) where !elements.isEmpty:
            return elements.map { element in
                let line = "\(space)- \(flow(element))"
                if isShort(element), line.count <= widthMax || !isNested(element) {
                    return line + "\n"
                }
                let inner = block(element, indent: indent + 2)
                return "\(space)- " + inner.dropFirst(indent + 2)
            }.joined()
        default: return space + flow(value) + "\n"
        }
    }

    private static func isNested(_ value: JSONValue) -> Bool {
        (value.members?.isEmpty == false) || (value.elements?.isEmpty == false)
    }

    /// A mapping of scalars and lists of scalars stands on one line where it fits.
    private static func isShort(_ value: JSONValue) -> Bool {
        guard let members = value.members else {
            return value.elements?.allSatisfy { !isNested($0) } ?? true
        }
        return members.count <= 4
            && members.allSatisfy { member in
                !isNested(member.value)
                    || member.value.elements != nil
                        && member.value.elements?.allSatisfy { !isNested($0) } == true
                    || member.name == "join"
            } && members.first?.name != "entity"
    }

    private static func flow(_ value: JSONValue) -> String {
        switch value {
        case .object(let members):
            members.isEmpty
                ? "{}"
                : "{ "
                    + members.map { "\(scalar($0.name, isKey: true)): \(flow($0.value))" }.joined(
                        separator: ", ") + " }"
        case .array(let elements): "[" + elements.map { flow($0) }.joined(separator: ", ") + "]"
        case .string(let text): scalar(text, isKey: false)
        default: value.text
        }
    }

    /// In quotes wherever YAML would read something else into it.
    private static func scalar(_ text: String, isKey: Bool) -> String {
        let isPlain =
            text.utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || "_./-".utf8.contains($0)
            } && text.utf8.first.map { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ".") } ?? false
        let isOther =
            isJSONNumber(text)
            || ["true", "false", "null", "yes", "no", "on", "off", "~", "y", "n"].contains(
                text.lowercased())
        return isPlain && !isOther ? text : JSONValue.string(text).text
    }
}
