import Foundation
import JSON

extension FuzzTarget {
    /// The tape: what it takes Foundation takes too and reads the same, and it says the same however it is asked.
    static let json = FuzzTarget(name: "json") { bytes in
        let theirs = try? JSONSerialization.jsonObject(
            with: Data(bytes), options: .fragmentsAllowed)
        let document: JSONDocument
        do throws(JSONError) { document = try JSONDocument(parsing: bytes) } catch {
            try expectLine(error.description)
            try expect(error.offset <= bytes.count, "the error lies behind the end")
            return
        }
        guard let value = document.root.value else { return }
        let again = try JSONDocument(parsing: value.bytes).root.value
        try expect(again == value, "written and read again it is another value")
        try expect(
            try ordered(ordered(document)) == ordered(ordered(ordered(document))),
            "in order it has no one text")
        try checkMembers(document.root)
        if let theirs {
            try expect(isSame(value, theirs), "Foundation reads another value")
        } else {
            try expect(holdsHugeNumber(value), "Foundation refuses what is read")
        }
    }

    private static func ordered(_ document: JSONDocument) throws -> JSONDocument {
        var text: [UInt8] = []
        document.root.withTree { $0.appendOrdered(at: $0.node(at: 0).treeIndex, to: &text) }
        return try JSONDocument(parsing: text)
    }

    private static func checkMembers(_ node: JSONNode) throws {
        for (name, value) in node.members {
            guard let name = name.string else { continue }
            let found = node.withTree { $0.member(Array(name.utf8), of: node.treeIndex) }
            try expect(
                found == node[name]?.treeIndex && found != nil, "a member is found two ways")
            try checkMembers(value)
        }
        for element in node.elements { try checkMembers(element) }
    }

    private static func holdsHugeNumber(_ value: JSONValue) -> Bool {
        switch value {
        case .number(let text): Double(text)?.isFinite != true
        case .array(let elements): elements.contains(where: holdsHugeNumber)
        case .object(let members): members.contains { holdsHugeNumber($0.value) }
        default: false
        }
    }

    private static func isSame(_ value: JSONValue, _ theirs: Any) -> Bool {
        switch value {
        case .null: return theirs is NSNull
        case .bool(let bool): return (theirs as? NSNumber)?.boolValue == bool
        case .number(let text):
            guard let number = (theirs as? NSNumber)?.doubleValue, let ours = Double(text) else {
                return false
            }
            // Foundation rounds many digits otherwise.
            return abs(number - ours) <= abs(ours) * 1e-9
        case .string(let text):
            return (theirs as? String).map { $0.utf8.elementsEqual(text.utf8) } ?? false
        case .array(let elements):
            guard let list = theirs as? [Any], list.count == elements.count else { return false }
            return zip(elements, list).allSatisfy { isSame($0, $1) }
        case .object(let members):
            guard let map = theirs as? [String: Any] else { return false }
            // Names that differ in their bytes alone are one to Foundation.
            guard Set(members.map(\.name)).count == members.count else { return true }
            return map.count == members.count
                && members.allSatisfy { member in
                    map[member.name].map { isSame(member.value, $0) } ?? false
                }
        }
    }
}

extension JSONDocument {
    fileprivate static func == (left: JSONDocument, right: JSONDocument) -> Bool {
        left.root.rawBytes == right.root.rawBytes
    }
}
