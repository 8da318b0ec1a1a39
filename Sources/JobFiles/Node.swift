/// Where in a file; both counted from 1.
struct Position: Sendable, Hashable, Comparable {
    var line: Int
    var column: Int

    static let start = Position(line: 1, column: 1)

    static func < (left: Position, right: Position) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// A value as the file has it, before any key's schema gives it a type.
struct Node: Sendable {
    enum Content: Sendable {
        /// Plain: written without quotes.
        case scalar(String, isPlain: Bool)
        case sequence([Node])
        case mapping([Entry])
        /// Reported already; whoever meets it keeps silent.
        case refused
    }
    struct Entry: Sendable {
        var key: String
        var position: Position
        var value: Node
    }
    var content: Content
    var position: Position
    /// How people name the place: `entities[0].page`.
    var path: String

    subscript(key: String) -> Node? {
        guard case .mapping(let entries) = content else { return nil }
        return entries.first { $0.key == key }?.value
    }

    /// The keys of a mapping; nil when this is none.
    var keys: [String]? {
        guard case .mapping(let entries) = content else { return nil }
        return entries.map(\.key)
    }

    /// What people call such a value.
    var words: String {
        switch content {
        case .scalar(let text, let isPlain):
            isPlain && text.isEmpty ? "nothing" : "\"\(excerpt(of: text))\""
        case .sequence: "a list"
        case .mapping: "a mapping"
        case .refused: "something refused"
        }
    }

    /// This mapping with what `defaults` has and it has not; of two mappings both are kept.
    func merged(over defaults: Node) -> Node {
        guard case .mapping(var entries) = content,
            case .mapping(let defaultEntries) = defaults.content
        else { return self }
        for entry in defaultEntries {
            if let index = entries.firstIndex(where: { $0.key == entry.key }) {
                entries[index].value = entries[index].value.merged(over: entry.value)
            } else {
                entries.append(entry)
            }
        }
        return Node(content: .mapping(entries), position: position, path: path)
    }
}

extension Node {
    /// True for a scalar of exactly this text.
    func isScalar(_ text: String) -> Bool { scalarText == text }

    /// The text of a scalar; nil for anything else.
    var scalarText: String? {
        guard case .scalar(let text, _) = content else { return nil }
        return text
    }

    /// The elements of a sequence; none for anything else.
    var elements: [Node] {
        guard case .sequence(let elements) = content else { return [] }
        return elements
    }

    /// Of a whole file: the entity of that name, without the defaults.
    func entity(named name: String) -> Node? {
        self["entities"]?.elements.first { $0["entity"]?.isScalar(name) == true }
    }
}

/// A text short and clean enough for one line of a message.
func excerpt(of text: String) -> String {
    let clean = text.unicodeScalars.prefix(60).map {
        $0.value < 0x20 || $0.value == 0x7F ? " " : String($0)
    }
    return clean.joined() + (text.unicodeScalars.count > 60 ? "…" : "")
}

extension Node {
    /// An entity that names its own page style takes nothing from the page of the defaults, whose
    /// keys belong to another style.
    func withDefaults(_ defaults: Node?) -> Node {
        guard var defaults else { return self }
        if self["page"]?["style"] != nil, case .mapping(let entries) = defaults.content {
            defaults.content = .mapping(entries.filter { $0.key != "page" })
        }
        return merged(over: defaults)
    }
}
