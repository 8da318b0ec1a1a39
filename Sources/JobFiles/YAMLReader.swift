import CYAML

/// Turns a file's bytes into nodes, and refuses what YAML allows beyond plain data.
struct YAMLReader {
    /// A job file of this size is a mistake, not a job.
    static let bytesMax = 1 << 20
    /// Deeper nesting than any schema has; bounds our recursion.
    static let depthMax = 32
    /// More than a table of PostgreSQL has columns; bounds what is compared with each other.
    static let entriesMax = 2000

    /// What bounds the reading of one file.
    struct Limits {
        var bytes = YAMLReader.bytesMax
        var depth = YAMLReader.depthMax
        var entries = YAMLReader.entriesMax
        /// Of two keys of one name the last one counts, as most readers have it.
        var mayRepeatKeys = false
    }

    private let events: YAMLEvents
    private let reading: NodeReading
    private let limits: Limits

    /// The file's value; nil when something was reported that leaves nothing to read.
    static func node(
        of bytes: [UInt8], reading: NodeReading, limits: Limits = Limits()
    ) -> Node? {
        guard bytes.count <= limits.bytes else {
            reading.add(.start, "", "more than \(limits.bytes) bytes")
            return nil
        }
        if let offset = firstInvalidUTF8(in: bytes) {
            reading.add(Position(ofByte: offset, in: bytes), "", "not valid UTF-8")
            return nil
        }
        do {
            return try YAMLEvents.reading(bytes) { (events) throws(YAMLError) in
                try YAMLReader(events: events, reading: reading, limits: limits).document()
            }
        } catch {
            let location = error.position ?? Position(ofByte: error.offset, in: bytes)
            reading.add(location, "", error.message)
            return nil
        }
    }

    /// The one document of the stream.
    private func document() throws(YAMLError) -> Node? {
        var event = try events.next()
        while event.kind == .other { event = try events.next() }
        guard event.kind != .streamEnd else {
            reading.add(.start, "", "the file is empty, expected a mapping with version and job")
            return nil
        }
        let node = try value(event, path: "", depth: 1)
        event = try events.next()
        while event.kind == .other { event = try events.next() }
        if event.kind != .streamEnd {
            reading.add(event.position, "", "a second document; a job file is one document")
        }
        return node
    }

    private func value(_ event: YAMLEvent, path: String, depth: Int) throws(YAMLError) -> Node {
        guard depth <= limits.depth else {
            throw YAMLError("nested deeper than \(limits.depth)", at: event.position)
        }
        if event.hasAnchor { refuse("anchors are refused; write the value out", event, path) }
        if event.hasTag { refuse("tags are refused; the key decides the type", event, path) }
        let content: Node.Content
        switch event.kind {
        case .scalar(let text, let isPlain): content = .scalar(text, isPlain: isPlain)
        case .sequenceStart: content = .sequence(try elements(path: path, depth: depth))
        case .mappingStart: content = .mapping(try entries(path: path, depth: depth))
        default:
            refuse("aliases are refused; write the value out", event, path)
            content = .refused
        }
        return Node(content: content, position: event.position, path: path)
    }

    private func elements(path: String, depth: Int) throws(YAMLError) -> [Node] {
        var nodes: [Node] = []
        while true {
            let event = try events.next()
            if event.kind == .end { return nodes }
            try checkCount(nodes.count, event)
            nodes.append(try value(event, path: "\(path)[\(nodes.count)]", depth: depth + 1))
        }
    }

    private func entries(path: String, depth: Int) throws(YAMLError) -> [Node.Entry] {
        var entries: [Node.Entry] = []
        var known: Set<String> = []
        while true {
            let event = try events.next()
            if event.kind == .end { return entries }
            try checkCount(entries.count, event)
            let key = try value(event, path: path, depth: depth + 1)
            guard case .scalar(let name, _) = key.content else {
                if case .refused = key.content {
                } else {
                    refuse("a key must be a text", event, path)
                }
                _ = try value(try events.next(), path: path, depth: depth + 1)
                continue
            }
            let child = (path.isEmpty ? "" : path + ".") + excerpt(of: name)
            let node = try value(try events.next(), path: child, depth: depth + 1)
            if known.insert(name).inserted {
                entries.append(Node.Entry(key: name, position: event.position, value: node))
            } else if limits.mayRepeatKeys {
                entries.removeAll { $0.key == name }
                entries.append(Node.Entry(key: name, position: event.position, value: node))
            } else {
                refuse("key \"\(excerpt(of: name))\" appears twice", event, path)
            }
        }
    }

    private func checkCount(_ count: Int, _ event: YAMLEvent) throws(YAMLError) {
        guard count < limits.entries else {
            throw YAMLError(
                "more than \(limits.entries) entries in one mapping or list", at: event.position)
        }
    }

    private func refuse(_ message: String, _ event: YAMLEvent, _ path: String) {
        reading.add(event.position, path, message)
    }
}

extension Position {
    /// Line and column of a byte.
    fileprivate init(ofByte offset: Int, in bytes: [UInt8]) {
        let before = bytes.prefix(offset)
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        self.init(
            line: before.count { $0 == UInt8(ascii: "\n") } + 1,
            column: before[lineStart...].count { $0 & 0xC0 != 0x80 } + 1)
    }
}

private func firstInvalidUTF8(in bytes: [UInt8]) -> Int? {
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    var offset = 0
    while true {
        switch decoder.decode(&iterator) {
        case .scalarValue(let scalar): offset += UTF8.width(scalar)
        case .emptyInput: return nil
        case .error: return offset
        }
    }
}
