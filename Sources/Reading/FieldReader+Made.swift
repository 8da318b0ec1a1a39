import Basics
import JSON
import JobFiles
import Postgres

/// Values that are made of others, or of none.
extension FieldReader {
    /// Adds what is made of the values at these places.
    func make(
        of parts: [FieldReader], _ record: FoundValue, _ tree: JSONTree,
        into column: inout BinaryArray
    ) -> Outcome {
        var isTwice = false
        let indexes = parts.map { $0.index(of: record, tree, isTwice: &isTwice) }
        if isTwice { return .twice }
        let isThere = indexes.map { $0.map { tree.kind(at: $0) != .null } ?? false }
        switch field.made {
        case .joined(_, let separator):
            guard isThere.allSatisfy(\.self) else { return without(.absent, into: &column) }
            let texts = indexes.compactMap { $0.flatMap { tree.plainText(at: $0) } }
            guard texts.count == indexes.count else { return without(.unread, into: &column) }
            column.append(.text(texts.joined(separator: separator)))
        case .hashed:
            guard isThere.contains(true) else { return without(.absent, into: &column) }
            column.append(.text(Hex.encode(sha256(tree.lines(of: indexes)))))
        case .constant, .item, nil:
            if let fallback { column.append(fallback) } else { column.appendNull() }
        }
        return .read
    }

    /// Adds what holds without the value; nothing where the record must have it.
    private func without(_ outcome: Outcome, into column: inout BinaryArray) -> Outcome {
        guard mayBeNull || fallback != nil && outcome == .absent else {
            return .misfit(isUnread: outcome == .unread)
        }
        if let fallback { column.append(fallback) } else { column.appendNull() }
        return outcome
    }
}

extension JSONTree {
    /// A text, or a number as it is written; nil for all else, and for a text that no column holds.
    fileprivate func plainText(at index: Int) -> String? {
        let value = node(at: index)
        return isStorable(at: index) ? value.string ?? value.numberText : nil
    }

    /// A line for each value, or `null`: no value of JSON has a line break in this form.
    fileprivate func lines(of indexes: [Int?]) -> [UInt8] {
        var bytes: [UInt8] = []
        for index in indexes {
            if let index, isStorable(at: index) {
                appendOrdered(at: index, to: &bytes)
            } else if let index {
                bytes.append(contentsOf: raw(at: index))
            } else {
                bytes.append(contentsOf: "null".utf8)
            }
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }
}
