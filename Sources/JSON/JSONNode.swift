/// One value of a document; cheap to copy, keeps the document's bytes alive.
public struct JSONNode: Sendable {
    let storage: JSONStorage
    let index: Int

    private var node: TapeNode { storage.tape[index] }

    /// What sort of value this is.
    public var kind: JSONKind { node.kind }

    /// Whether PostgreSQL can store this value and all inside it.
    ///
    /// No `text` or `jsonb` takes NUL or half a surrogate pair. A number with an exponent beyond 308 is
    /// refused as well, because `jsonb` takes it in a few bytes and gives it back in thousands.
    public var isStorable: Bool { !node.isUnstorable }

    /// Elements of an array or members of an object; 0 for other values.
    public var count: Int { node.count }

    /// The value of an object's member; nil without such a member or if this is no object.
    public subscript(name: String) -> JSONNode? {
        guard node.kind == .object else { return nil }
        var name = name
        return name.withUTF8 { wanted in
            var found: Int?
            var position = index + 1
            while position < Int(node.next) {
                if isName(position, equalTo: wanted) { found = position + 1 }
                position = Int(storage.tape[position + 1].next)
            }
            return found.map { JSONNode(storage: storage, index: $0) }
        }
    }

    /// An array's elements in order; empty if this is no array.
    public var elements: JSONElements {
        JSONElements(
            storage: storage, position: index + 1, end: kind == .array ? Int(node.next) : 0)
    }

    /// An object's members in order, repeated names included; empty if this is no object.
    public var members: JSONMembers {
        JSONMembers(
            storage: storage, position: index + 1, end: kind == .object ? Int(node.next) : 0)
    }

    /// True or false; nil if this is neither.
    public var bool: Bool? {
        kind == .bool ? storage.bytes[Int(node.start)] == UInt8(ascii: "t") : nil
    }

    /// A number as written; nil if this is no number.
    public var numberText: String? { kind == .number ? rawText : nil }

    /// A whole number written without fraction or exponent, if it fits.
    public var int: Int? { numberText.flatMap { Int($0) } }

    /// A string without its quotes and escapes; nil if this is no string, or not `isStorable`.
    public var string: String? {
        guard kind == .string, isStorable else { return nil }
        let content = storage.bytes[Int(node.start) + 1..<Int(node.end) - 1]
        guard node.isEscaped else { return String(decoding: content, as: UTF8.self) }
        return String(decoding: unescaped(content), as: UTF8.self)
    }

    /// The value's own bytes in the document.
    public var rawBytes: ArraySlice<UInt8> { storage.bytes[Int(node.start)..<Int(node.end)] }

    /// The value as written in the document, white space inside included.
    public var rawText: String { String(decoding: rawBytes, as: UTF8.self) }

    /// A copy that outlives the document; nil if not `isStorable`.
    public var value: JSONValue? {
        guard isStorable else { return nil }
        switch kind {
        case .null: return .null
        case .bool: return bool.map { .bool($0) }
        case .number: return .number(rawText)
        case .string: return string.map { .string($0) }
        case .array: return .array(elements.compactMap(\.value))
        case .object:
            return .object(
                members.compactMap { member in
                    guard let name = member.name.string, let value = member.value.value
                    else { return nil }
                    return JSONMember(name, value)
                })
        }
    }

    private func isName(_ position: Int, equalTo wanted: UnsafeBufferPointer<UInt8>) -> Bool {
        let name = storage.tape[position]
        let start = Int(name.start) + 1
        let end = Int(name.end) - 1
        if name.isEscaped {
            return !name.isUnstorable
                && unescaped(storage.bytes[start..<end]).elementsEqual(wanted)
        }
        guard end - start == wanted.count else { return false }
        for offset in 0..<wanted.count where storage.bytes[start + offset] != wanted[offset] {
            return false
        }
        return true
    }
}

/// The elements of an array, in order.
public struct JSONElements: Sequence, IteratorProtocol, Sendable {
    let storage: JSONStorage
    var position: Int
    let end: Int

    /// The next element; nil after the last.
    public mutating func next() -> JSONNode? {
        guard position < end else { return nil }
        defer { position = Int(storage.tape[position].next) }
        return JSONNode(storage: storage, index: position)
    }
}

/// The members of an object, in order.
public struct JSONMembers: Sequence, IteratorProtocol, Sendable {
    let storage: JSONStorage
    var position: Int
    let end: Int

    /// The next member, its name a string node; nil after the last.
    public mutating func next() -> (name: JSONNode, value: JSONNode)? {
        guard position < end else { return nil }
        let name = JSONNode(storage: storage, index: position)
        let value = JSONNode(storage: storage, index: position + 1)
        position = Int(storage.tape[position + 1].next)
        return (name, value)
    }
}
