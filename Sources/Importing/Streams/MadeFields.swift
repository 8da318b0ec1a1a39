import JSON

/// A part of a text that is put together.
enum JoinedPart: Equatable {
    case text(String)
    /// A place of the record.
    case place([String])
}

extension Expression {
    /// Texts and places of the record in a row; nil for anything else, and for one place alone.
    var joinedPlaces: [JoinedPart]? {
        guard case .binary("+", let left, let right) = self else { return nil }
        guard let first = left.joinedParts, let second = right.joinedParts else { return nil }
        return first + second
    }

    private var joinedParts: [JoinedPart]? {
        if let parts = joinedPlaces { return parts }
        if let text = literal?.string { return [.text(text)] }
        guard let found = without(["string"]).reference, found.root == "record",
            found.fallback == nil, !found.path.isEmpty
        else { return nil }
        return [.place(found.path)]
    }
}

extension Expression {
    /// A field that is the same in each record, or of one place that is read in another form or has a value where there
    /// is none.
    func made(in known: FieldDraft?) -> FieldDraft? {
        if let literalText {
            return FieldDraft(name: "", type: "text", constant: .string(literalText))
        }
        if let (path, format) = rewrittenTime {
            return FieldDraft(name: "", path: path, type: "timestamp", format: [format])
        }
        guard let known else { return nil }
        if known.type == "timestamp", let (path, standard) = timeOrLiteral {
            return FieldDraft(
                name: "", path: path, type: known.type, format: known.format, standard: standard)
        }
        if ["int", "double"].contains(known.type), let (path, standard) = numberOrZero {
            return FieldDraft(name: "", path: path, type: known.type, standard: standard)
        }
        return nil
    }

    /// `format_datetime(record.x, …, '%d.%m.%Y')`: the time itself, and the form in which the record has it.
    private var rewrittenTime: (path: [String], format: String)? {
        guard case .call(.name("format_datetime"), let arguments, let named) = self,
            named.isEmpty, (2...3).contains(arguments.count),
            let found = arguments[0].reference, found.root == "record", found.fallback == nil,
            !found.path.isEmpty
        else { return nil }
        guard arguments.count == 3 else { return (found.path, "iso8601") }
        return arguments[2].literal?.string.flatMap(TimeForms.read).map { (found.path, $0) }
    }

    /// `record.x or '1970-01-01'`: of a time, an empty text is as good as none.
    private var timeOrLiteral: (path: [String], standard: JSONValue)? {
        guard case .binary("or", let inner, .literal(.string(let text))) = self,
            let time = timestamp(text), let found = inner.reference, found.root == "record",
            found.fallback == nil, !found.path.isEmpty
        else { return nil }
        return (found.path, .string(time))
    }

    /// `record.x or 0`.
    private var numberOrZero: (path: [String], standard: JSONValue)? {
        guard case .binary("or", let inner, .literal(.number("0"))) = self,
            let found = inner.reference, found.root == "record", found.fallback == nil,
            !found.path.isEmpty
        else { return nil }
        return (found.path, .integer(0))
    }
}

extension Reference {
    /// The place itself, of one whose other value is the word for nothing.
    func orNothing(_ context: StreamContext) -> Reference {
        guard root == "record", fallback?.literal?.string == "None" else { return self }
        context.note(
            "false, 0 and an empty text stay as the source has them, where the manifest has nothing (\(path.joined(separator: ".")))"
        )
        return Reference(root: root, path: path)
    }
}
