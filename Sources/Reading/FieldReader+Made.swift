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
        switch field.made {
        case .joined(_, let separator):
            let texts = indexes.compactMap { $0.flatMap { tree.node(at: $0).plainText } }
            guard texts.count == indexes.count else {
                if field.required { return .misfit(isUnread: false) }
                if let fallback { column.append(fallback) } else { column.appendNull() }
                return .absent
            }
            column.append(.text(texts.joined(separator: separator)))
        case .hashed:
            var bytes: [UInt8] = []
            for index in indexes {
                // A line for each place: no value of JSON has a line break in this form.
                if let index, tree.isStorable(at: index) {
                    tree.appendOrdered(at: index, to: &bytes)
                } else if let index {
                    bytes.append(contentsOf: tree.raw(at: index))
                } else {
                    bytes.append(contentsOf: "null".utf8)
                }
                bytes.append(UInt8(ascii: "\n"))
            }
            column.append(.text(Hex.encode(sha256(bytes))))
        case .constant, nil:
            if let fallback { column.append(fallback) } else { column.appendNull() }
        }
        return .read
    }
}

extension Field.Made {
    /// The places whose values it is made of.
    var paths: [Path] {
        switch self {
        case .constant: []
        case .joined(let paths, _), .hashed(let paths): paths
        }
    }
}

extension JSONNode {
    /// A text, or a number as it is written; nil for all else.
    fileprivate var plainText: String? { string ?? numberText }
}
