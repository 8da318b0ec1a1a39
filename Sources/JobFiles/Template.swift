public import JSON

/// Text with placeholders, compiled: `/api/users/{user.hub_user_id}/feed`.
public struct Template: Sendable, Equatable {
    /// A part of the text.
    public enum Piece: Sendable, Equatable {
        case literal(String)
        case placeholder(Placeholder)
    }
    /// The text's parts in order; no two literals in a row.
    public var pieces: [Piece]

    /// The placeholder when the template is nothing else; such a value keeps its JSON type.
    public var lonePlaceholder: Placeholder? {
        guard pieces.count == 1, case .placeholder(let only) = pieces[0] else { return nil }
        return only
    }

    /// The placeholders in order, repeated ones included.
    public var placeholders: [Placeholder] {
        pieces.compactMap { piece in
            guard case .placeholder(let placeholder) = piece else { return nil }
            return placeholder
        }
    }

    /// Names of the secrets that it holds.
    public var secretNames: [String] {
        placeholders.compactMap { if case .secret(let name) = $0 { name } else { nil } }
    }

    /// Compiles nothing: makes a template of given pieces.
    public init(pieces: [Piece]) { self.pieces = pieces }
}

/// The closed vocabulary of `{…}`.
public enum Placeholder: Sendable, Equatable, Hashable {
    case user(String)
    case secret(String)
    case list(String)
    case since
    /// Up to when an incremental pass asks.
    case until
    /// When the run began, or so long before or after.
    case now(Moment)
    case pageToken
    case pageSize
    /// A value out of an earlier call's response body.
    case call(String, Path)
    /// The items of a `for_each` this pass is for.
    case chunk
    /// A value of the item that this pass is for.
    case each(String)
    /// A column of the row that is pushed.
    case row(String)
    /// What the login of a session was answered with.
    case sessionToken
}

/// A time by the clock of a run.
public struct Moment: Sendable, Equatable, Hashable {
    /// Milliseconds after the run's beginning; less than 0: before it.
    public var shift: Int64 = 0
    /// How it is written.
    public var format = TimeFormat.iso8601
}

/// A JSON body whose strings may hold placeholders.
public indirect enum BodyTemplate: Sendable, Equatable {
    case literal(JSONValue)
    case text(Template)
    case array([BodyTemplate])
    case object([BodyMember])
    /// Only there while the placeholder has a value; made by presets, never written in a file.
    case when(Placeholder, BodyTemplate)
}

/// One name and value of a body's object.
public struct BodyMember: Sendable, Equatable {
    /// The name as sent.
    public var name: String
    /// The value before its placeholders are filled.
    public var value: BodyTemplate
}

/// A compiled path into a JSON document: `a.b`, `videos[]`, or empty for the whole.
public struct Path: Sendable, Equatable, Hashable {
    /// One step further into the document.
    public enum Step: Sendable, Equatable, Hashable {
        case member(String)
        /// Every element of the array here.
        case each
        /// The first element of the array here whose member has that value.
        case element(String, String)
    }
    /// The steps from the document's value.
    public var steps: [Step]

    /// Compiles nothing: makes a path of given steps.
    public init(steps: [Step]) { self.steps = steps }
}
