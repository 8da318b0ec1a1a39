import JSON

/// How a value is written in a job file: read, written back and described.
struct Form<Value: Sendable>: Sendable {
    /// What the JSON Schema and the manual say of it.
    let type: ValueType
    /// The same with a preset, where that is another.
    var presetType: ValueType? = nil
    /// Returns nil when a mistake was reported.
    let read: @Sendable (Node, NodeReading) -> Value?
    /// Returns nil when nothing is to be written, as for an empty list.
    let write: @Sendable (Value) -> JSONValue?
}

extension Form {
    /// The same text for another value; `make` returns nil when it has reported a mistake.
    func map<Other: Sendable>(
        _ make: @escaping @Sendable (Value, Place) -> Other?,
        back: @escaping @Sendable (Other) -> Value
    ) -> Form<Other> {
        Form<Other>(
            type: type,
            read: { node, reading in
                read(node, reading).flatMap { make($0, Place(node, reading)) }
            }, write: { write(back($0)) })
    }
}

extension Form {
    /// The same of a value that may be missing.
    var optional: Form<Value?> {
        Form<Value?>(
            type: type, presetType: presetType, read: { read($0, $1) }, write: { $0.flatMap(write) }
        )
    }

    /// The same where more is to be said of what was read.
    func check(_ check: @escaping @Sendable (Value, Place) -> Void) -> Form {
        Form(
            type: type, presetType: presetType,
            read: { node, reading in
                let value = read(node, reading)
                if let value { check(value, Place(node, reading)) }
                return value
            }, write: write)
    }

    /// One of two forms: with a preset the other.
    static func byPreset(_ without: Form, with: Form) -> Form {
        Form(
            type: without.type, presetType: with.type,
            read: { ($1.scope.isPreset ? with : without).read($0, $1) }, write: without.write)
    }
}

extension Form where Value == String {
    /// Any scalar, read as a text.
    static let text = Form(type: .text, read: { $1.text($0) }, write: { .string($0) })

    /// Of a table, column, list, field, entity or call.
    static let name = Form(type: .name, read: { $1.name($0) }, write: { .string($0) })

    /// One of some words; a mistake calls them by the noun.
    static func words(_ words: [String], noun: String = "word") -> Form {
        Form(
            type: .word(words, noun: noun), read: { $1.choice($0, noun, of: words) },
            write: { .string($0) })
    }

    /// A text that `read` checks.
    static func text(
        _ form: TextForm, _ read: @escaping @Sendable (Node, NodeReading) -> String?
    ) -> Form {
        Form(type: .formed(form), read: read, write: { .string($0) })
    }
}

extension Form where Value == Path {
    /// Into the document, to one value.
    static let innerPath = path(.innerPath) { $1.innerPath($0) }

    /// To one value, or the whole document.
    static let onePath = path(.onePath) { $1.path($0, toOne: true) }

    /// To one value or through lists.
    static let path = path(.path) { $1.path($0, toOne: false) }

    /// Into the document, also through lists.
    static let listPath = path(.presetPath) { $1.innerPath($0, toOne: false) }

    private static func path(
        _ form: TextForm, _ read: @escaping @Sendable (Node, NodeReading) -> Path?
    ) -> Form {
        Form(type: .formed(form), read: read, write: { .text($0) })
    }
}

extension Form where Value == JSONValue {
    /// Whatever stands there, in words of the manual.
    static func any(_ words: String) -> Form {
        Form(type: .any(words), read: { $1.json($0) }, write: { $0 })
    }
}

extension Form where Value == Bool {
    static let boolean = Form(type: .boolean, read: { $1.bool($0) }, write: { .bool($0) })

    /// A word that is there or not; a mistake calls it by the noun.
    static func only(_ word: String, noun: String = "word") -> Form {
        Form(
            type: .word([word], noun: noun),
            read: { node, reading in reading.choice(node, noun, of: [word]).map { _ in true } },
            write: { $0 ? .string(word) : nil })
    }
}

extension Form where Value == Duration {
    static func duration(_ range: ClosedRange<Duration>) -> Form {
        Form(
            type: .duration(range), read: { $1.duration($0, range) }, write: { .span($0) })
    }
}

extension Form where Value == Int {
    static func integer(_ range: ClosedRange<Int>) -> Form {
        Form(type: .integer(range), read: { $1.int($0, range) }, write: { .integer($0) })
    }
}

extension Form where Value == Double {
    static func number(_ range: ClosedRange<Double>) -> Form {
        Form(type: .number(range), read: { $1.double($0, range) }, write: { .double($0) })
    }
}

extension Form where Value: RawRepresentable<String> & CaseIterable {
    /// One of the words of an enumeration; a mistake calls them by the noun.
    static func word(_ noun: String = "word", of words: [Value]? = nil) -> Form {
        let names = (words ?? Array(Value.allCases)).map(\.rawValue)
        return Form(
            type: .word(names, noun: noun),
            read: { $1.choice($0, noun, of: names).flatMap { Value(rawValue: $0) } },
            write: { .string($0.rawValue) })
    }
}

extension Form {
    /// A list of such values, not written where it is empty; what is wrong in it is left out.
    static func list<Element>(_ element: Form<Element>) -> Form where Value == [Element] {
        elements(element, isFilled: false)
    }

    /// A list of such values that is written even where it is empty.
    static func wholeList<Element>(_ element: Form<Element>) -> Form where Value == [Element] {
        let list = list(element)
        return Form(
            type: list.type, read: list.read, write: { .array($0.compactMap(element.write)) })
    }

    /// One such value or a list of them, not written where there is none.
    static func oneOrMore<Element>(_ element: Form<Element>) -> Form where Value == [Element] {
        Form(
            type: .oneOrMore(element.type),
            read: { node, reading in
                guard case .sequence = node.content else {
                    return element.read(node, reading).map { [$0] }
                }
                return reading.filledList(node)?.compactMap { element.read($0, reading) }
            }, write: { .filled($0.compactMap(element.write)) })
    }

    /// A list of at least one such value.
    static func filled<Element>(_ element: Form<Element>) -> Form where Value == [Element] {
        elements(element, isFilled: true)
    }

    private static func elements<Element>(
        _ element: Form<Element>, isFilled: Bool
    ) -> Form where Value == [Element] {
        Form(
            type: .list(element.type, isFilled: isFilled),
            presetType: element.presetType.map { .list($0, isFilled: isFilled) },
            read: { node, reading in
                (isFilled ? reading.filledList(node) : reading.list(node))?
                    .compactMap { element.read($0, reading) }
            }, write: { .filled($0.compactMap(element.write)) })
    }

    /// A mapping of the file's own names to such values, which know their names; in file order.
    ///
    /// `noun`: what must be there once at least; nil when there may be none. `isRight` says whether a name may stand
    /// there, and reports why not.
    static func named<Element>(
        _ name: Member<Element, String>, _ element: Form<Element>, by form: TextForm = .name,
        noun: String? = nil, except: [String] = [],
        _ isRight: @escaping @Sendable (Node.Entry, NodeReading) -> Bool = { entry, reading in
            reading.isName(entry.key, at: entry.position, entry.value.path)
        }
    ) -> Form where Value == [Element] {
        Form(
            type: .named(element.type, by: form, isFilled: noun != nil, except: except),
            read: { node, reading in
                guard let entries = reading.entries(node) else { return nil }
                if entries.isEmpty, let noun { reading.add(node, "expected at least one \(noun)") }
                return entries.compactMap { entry in
                    guard isRight(entry, reading), var value = element.read(entry.value, reading)
                    else { return nil }
                    value[keyPath: name] = entry.key
                    return value
                }
            },
            write: { values in
                .named(
                    values.compactMap { value in
                        element.write(value).map { (value[keyPath: name], $0) }
                    })
            })
    }
}
