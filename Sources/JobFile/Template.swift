public import JSON

/// Text with placeholders, compiled: `/api/users/{user.hub_user_id}/feed`.
public struct Template: Sendable, Equatable {
    public enum Piece: Sendable, Equatable {
        case literal(String)
        case placeholder(Placeholder)
    }
    public var pieces: [Piece]

    /// The placeholder when the template is nothing else; such a value keeps its JSON type.
    public var lonePlaceholder: Placeholder? {
        guard pieces.count == 1, case .placeholder(let only) = pieces[0] else { return nil }
        return only
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
    case pageToken
    case pageSize
    /// A value out of an earlier call's response body.
    case call(String, Path)
}

/// A JSON body whose strings may hold placeholders.
public indirect enum BodyTemplate: Sendable, Equatable {
    case literal(JSONValue)
    case text(Template)
    case array([BodyTemplate])
    case object([BodyMember])
}

public struct BodyMember: Sendable, Equatable {
    public var name: String
    public var value: BodyTemplate
}

/// A compiled path into a JSON document: `a.b`, `videos[]`, or empty for the whole.
public struct Path: Sendable, Equatable, Hashable {
    public enum Step: Sendable, Equatable, Hashable {
        case member(String)
        /// Every element of the array here.
        case each
    }
    public var steps: [Step]

    /// Compiles nothing: makes a path of given steps.
    public init(steps: [Step]) { self.steps = steps }
}
