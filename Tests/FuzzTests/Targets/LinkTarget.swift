import Reading

extension FuzzTarget {
    /// `Link`: the address stands between brackets in the field, with a relation that is `next`.
    static let link = FuzzTarget(name: "link") { bytes in
        let values = bytes.parts(4).map(\.text)
        guard let target = LinkHeader.next(values) else { return }
        try expect(
            !target.utf8.contains(UInt8(ascii: ">")), "the address goes on behind its bracket")
        let fields = values.filter { $0.utf8.firstRange(of: "<\(target)>".utf8) != nil }
        try expect(!fields.isEmpty, "the address stands in no field")
        try expect(
            fields.contains { $0.lowercased().utf8.firstRange(of: "next".utf8) != nil },
            "nothing says that it is the next one")
    }
}
