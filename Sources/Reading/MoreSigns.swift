import JSON

/// By what the object around a list says that the list goes on, whatever names the job file knows.
///
/// Names are compared without case, `_`, `-` and the `@odata.` of OData: `has_more`, `hasMore` and `HasMore` are one.
struct MoreSigns {
    /// True here says that more follows.
    private static let flags: Set<String> = [
        "hasmore", "more", "hasnext", "hasnextpage", "morecoming", "moreavailable", "istruncated",
        "hasmoreitems", "hasmorepages",
    ]
    /// A text or a number here names what follows.
    private static let positions: Set<String> = [
        "next", "nextpage", "nextpagetoken", "nexttoken", "nextcursor", "nextmarker", "nextlink",
        "nexturl", "nextpageurl", "nextpagelink", "nexthref", "nextrecordsurl",
    ]
    /// A number here counts the elements of the whole list; a bare `total` or `count` may be of money, or of the page.
    private static let totals: Set<String> = [
        "totalcount", "totalresults", "totalitems", "totalrecords",
    ]
    /// An object here speaks of the list beside it.
    private static let objects: Set<String> = [
        "pageinfo", "paging", "pagination", "pager", "page", "meta", "links", "responsemetadata",
    ]

    private let tree: JSONTree
    /// Elements that the list shows; nil means how many there are in all says nothing.
    private let shown: Int?
    private let takesFlagsOnly: Bool

    /// Looks for signs about a list that shows so many elements.
    ///
    /// `takesFlagsOnly`: a text called `next` may speak of something else.
    init(_ tree: JSONTree, shown: Int?, takesFlagsOnly: Bool = false) {
        self.tree = tree
        self.shown = shown
        self.takesFlagsOnly = takesFlagsOnly
    }

    /// The member of an object that says that the list goes on, by its name in the document; nil when none does.
    func first(in object: Int) -> String? { first(in: object, isInner: false) }

    private func first(in object: Int, isInner: Bool) -> String? {
        var found: String?
        tree.forEachMember(of: object) { name, value in
            guard found == nil, let word = word(name) else { return }
            if says(word, value) {
                found = tree.node(at: name).string
            } else if tree.kind(at: value) == .object,
                let inner = link(word, value) ?? inside(word, value, isInner: isInner)
            {
                found = "\(tree.node(at: name).string ?? word).\(inner)"
            }
        }
        return found
    }

    private func inside(_ word: String, _ value: Int, isInner: Bool) -> String? {
        !isInner && Self.objects.contains(word) ? first(in: value, isInner: true) : nil
    }

    private func says(_ word: String, _ value: Int) -> Bool {
        switch tree.kind(at: value) {
        case .bool: return tree.bool(at: value) == true && Self.flags.contains(word)
        case .string where takesFlagsOnly, .number where takesFlagsOnly: return false
        case .string: return tree.raw(at: value).count > 2 && Self.positions.contains(word)
        case .number:
            guard let number = tree.node(at: value).int, number > 0 else { return false }
            return Self.positions.contains(word)
                || Self.totals.contains(word) && shown.map { number > $0 } ?? false
        case .null, .array, .object: return false
        }
    }

    /// The address in an object that is the link to what follows, as JSON:API and HAL write it.
    private func link(_ word: String, _ value: Int) -> String? {
        guard word == "next", !takesFlagsOnly else { return nil }
        for name in ["href", "url"] {
            guard let address = tree.member(Array(name.utf8), of: value),
                tree.kind(at: address) == .string, tree.raw(at: address).count > 2
            else { continue }
            return name
        }
        return nil
    }

    /// A member's name as the signs are written; nil when it begins like none of them.
    private func word(_ name: Int) -> String? {
        guard var text = tree.plainString(at: name).map({ $0[...] }), text.count <= 24 else {
            return nil
        }
        if text.starts(with: "@odata.".utf8) { text = text.dropFirst(7) }
        guard let start = text.first, "chilmnprt".utf8.contains(start | 0x20) else { return nil }
        let letters = text.lazy.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }
        return String(decoding: letters.map { $0 | 0x20 }, as: UTF8.self)
    }
}
