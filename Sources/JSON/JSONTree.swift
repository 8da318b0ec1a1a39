/// A document's values by number, for those who read thousands of them: it lends bytes, and neither
/// copies nor counts references.
///
/// An index is the number of a value in document order. Valid within `JSONNode.withTree` only.
public struct JSONTree {
    let bytes: UnsafeBufferPointer<UInt8>
    let tape: UnsafeBufferPointer<TapeNode>
    private let storage: Unmanaged<JSONStorage>

    fileprivate init(
        _ bytes: UnsafeBufferPointer<UInt8>, _ tape: UnsafeBufferPointer<TapeNode>,
        _ storage: JSONStorage
    ) {
        self.bytes = bytes
        self.tape = tape
        self.storage = Unmanaged.passUnretained(storage)
    }

    /// What sort of value stands there.
    public func kind(at index: Int) -> JSONKind { tape[index].kind }

    /// As `JSONNode.isStorable`.
    public func isStorable(at index: Int) -> Bool { !tape[index].isUnstorable }

    /// The value as a node, which may be kept.
    public func node(at index: Int) -> JSONNode {
        JSONNode(storage: storage.takeUnretainedValue(), index: index)
    }

    /// The value's own bytes in the document.
    public func raw(at index: Int) -> UnsafeBufferPointer<UInt8> {
        slice(Int(tape[index].start), Int(tape[index].end))
    }

    /// A string without its quotes, when it holds no escape; nil when it holds one, or is no string.
    public func plainString(at index: Int) -> UnsafeBufferPointer<UInt8>? {
        let node = tape[index]
        guard node.kind == .string, !node.isEscaped else { return nil }
        return slice(Int(node.start) + 1, Int(node.end) - 1)
    }

    /// Appends a string without its quotes and escapes; it must be `isStorable`.
    public func appendString(at index: Int, to output: inout [UInt8]) {
        if let plain = plainString(at: index) {
            output.append(contentsOf: plain)
        } else {
            let node = tape[index]
            appendUnescaped(slice(Int(node.start) + 1, Int(node.end) - 1), to: &output)
        }
    }

    /// True or false; nil if there is neither.
    public func bool(at index: Int) -> Bool? {
        tape[index].kind == .bool ? bytes[Int(tape[index].start)] == UInt8(ascii: "t") : nil
    }

    /// The value of an object's member, the last of that name; nil without one or in another value.
    public func member(_ name: [UInt8], of index: Int) -> Int? {
        guard tape[index].kind == .object else { return nil }
        return name.withUnsafeBufferPointer { wanted in
            var found: Int?
            var position = index + 1
            let end = Int(tape[index].next)
            while position < end {
                if isName(tape[position], equalTo: wanted) { found = position + 1 }
                position = Int(tape[position + 1].next)
            }
            return found
        }
    }

    /// The same, which tells besides whether the object has several members of that name.
    public func member(_ name: [UInt8], of index: Int, isTwice: inout Bool) -> Int? {
        guard tape[index].kind == .object else { return nil }
        return name.withUnsafeBufferPointer { wanted in
            var found: Int?
            var position = index + 1
            let end = Int(tape[index].next)
            while position < end {
                if isName(tape[position], equalTo: wanted) {
                    if found != nil { isTwice = true }
                    found = position + 1
                }
                position = Int(tape[position + 1].next)
            }
            return found
        }
    }

    /// Calls `body` with the name and the value of each member of an object in order; with none if this is no object.
    public func forEachMember(of index: Int, _ body: (Int, Int) -> Void) {
        guard tape[index].kind == .object else { return }
        var position = index + 1
        let end = Int(tape[index].next)
        while position < end {
            body(position, position + 1)
            position = Int(tape[position + 1].next)
        }
    }

    /// Calls `body` with each element of an array in order; with none if this is no array.
    public func forEachElement(of index: Int, _ body: (Int) -> Void) {
        guard tape[index].kind == .array else { return }
        var position = index + 1
        let end = Int(tape[index].next)
        while position < end {
            body(position)
            position = Int(tape[position].next)
        }
    }

    func slice(_ start: Int, _ end: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: bytes[start..<end])
    }

    private func isName(_ name: TapeNode, equalTo wanted: UnsafeBufferPointer<UInt8>) -> Bool {
        let start = Int(name.start) + 1
        let end = Int(name.end) - 1
        if name.isEscaped {
            var text: [UInt8] = []
            guard !name.isUnstorable else { return false }
            appendUnescaped(slice(start, end), to: &text)
            return text.elementsEqual(wanted)
        }
        guard end - start == wanted.count else { return false }
        for offset in 0..<wanted.count where bytes[start + offset] != wanted[offset] {
            return false
        }
        return true
    }
}

extension JSONNode {
    /// Lends the document around this value as places.
    public func withTree<R>(_ body: (JSONTree) throws -> R) rethrows -> R {
        try storage.bytes.withUnsafeBufferPointer { bytes in
            try storage.tape.withUnsafeBufferPointer { tape in
                try body(JSONTree(bytes, tape, storage))
            }
        }
    }

    /// Where this value stands among its document's places.
    public var treeIndex: Int { index }
}
