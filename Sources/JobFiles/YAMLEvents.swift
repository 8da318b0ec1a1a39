import CYAML

/// One event of libyaml as a value.
struct YAMLEvent {
    enum Kind: Equatable {
        case scalar(String, isPlain: Bool)
        case sequenceStart
        case mappingStart
        /// Of a sequence or mapping.
        case end
        case alias
        case streamEnd
        case other
    }
    var kind: Kind
    var position: Position
    var hasAnchor = false
    var hasTag = false
}

/// Why libyaml stopped; the reader's errors have only a byte offset.
struct YAMLError: Error {
    var message: String
    var position: Position?
    var offset = 0

    init(_ message: String, at position: Position?) {
        self.message = message
        self.position = position
    }
}

/// libyaml's parser over bytes in memory, one event after another.
struct YAMLEvents {
    private let parser: UnsafeMutablePointer<yaml_parser_t>

    /// Lends the events of the bytes; the parser points into itself, so it must not move.
    static func reading<Value>(
        _ bytes: [UInt8], _ body: (YAMLEvents) throws(YAMLError) -> Value
    ) throws(YAMLError) -> Value {
        let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
        defer { parser.deallocate() }
        guard yaml_parser_initialize(parser) == 1 else {
            throw YAMLError("out of memory", at: .start)
        }
        defer { yaml_parser_delete(parser) }
        return try bytes.withUnsafeBufferPointer { (buffer) throws(YAMLError) -> Value in
            yaml_parser_set_input_string(parser, buffer.baseAddress, buffer.count)
            return try body(YAMLEvents(parser: parser))
        }
    }

    /// The next event; throws at the first byte that is no YAML.
    func next() throws(YAMLError) -> YAMLEvent {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw problem() }
        defer { yaml_event_delete(&event) }
        let position = Self.position(event.start_mark)
        switch event.type {
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            let text = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            let isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
            return YAMLEvent(
                kind: .scalar(String(decoding: text, as: UTF8.self), isPlain: isPlain),
                position: position, hasAnchor: scalar.anchor != nil, hasTag: scalar.tag != nil)
        case YAML_SEQUENCE_START_EVENT:
            let start = event.data.sequence_start
            return YAMLEvent(
                kind: .sequenceStart, position: position, hasAnchor: start.anchor != nil,
                hasTag: start.tag != nil)
        case YAML_MAPPING_START_EVENT:
            let start = event.data.mapping_start
            return YAMLEvent(
                kind: .mappingStart, position: position, hasAnchor: start.anchor != nil,
                hasTag: start.tag != nil)
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT:
            return YAMLEvent(kind: .end, position: position)
        case YAML_ALIAS_EVENT: return YAMLEvent(kind: .alias, position: position)
        case YAML_STREAM_END_EVENT, YAML_NO_EVENT:
            return YAMLEvent(kind: .streamEnd, position: position)
        default: return YAMLEvent(kind: .other, position: position)
        }
    }

    private func problem() -> YAMLError {
        let problem = parser.pointee.problem.map { String(cString: $0) } ?? "cannot be read"
        let context = parser.pointee.context.map { " " + String(cString: $0) } ?? ""
        var error = YAMLError("not valid YAML: \(problem)\(context)", at: nil)
        if parser.pointee.error == YAML_READER_ERROR {
            error.offset = parser.pointee.problem_offset
        } else {
            error.position = Self.position(parser.pointee.problem_mark)
        }
        return error
    }

    private static func position(_ mark: yaml_mark_t) -> Position {
        Position(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
    }
}
