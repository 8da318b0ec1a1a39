public import JSON

/// What is sent: every part may hold placeholders.
public struct Request: Sendable, Equatable {
    /// `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    public var method: String
    /// Path below the source's base, starting with `/`.
    public var path: Template
    /// Query parameters in file order; a name may come several times.
    public var query: [NamedTemplate]
    /// Header fields besides the source's.
    public var headers: [NamedTemplate]
    /// The JSON body; nil when none is sent.
    public var body: BodyTemplate?
    /// The fields of a form that is sent in place of a JSON body, like parameters; none when there is no form.
    public var form: [NamedTemplate] = []
    /// The status codes that are success; 204 is an empty list beside them.
    public var expect = [200]
}

/// A query parameter or a header field.
public struct NamedTemplate: Sendable, Equatable {
    /// The name as sent.
    public var name: String
    /// The value before its placeholders are filled.
    public var value: Template
}

/// A named request around the entities.
public struct Call: Sendable, Equatable {
    /// What a failed call means for the run.
    public enum FailurePolicy: String, Sendable, CaseIterable { case fail, warn }
    /// The word in `before`, `recover` and `{call.name.path}`.
    public var name: String
    /// What is sent.
    public var request: Request
    /// False: the call is made once whatever happens.
    public var retries: Bool
    /// Not called when this list is empty.
    public var skipIfEmpty: String?
    /// At most one success per user in this span.
    public var minGap: Duration?
    /// `fail`: the run fails with the call; `warn`: it goes on.
    public var onFailure: FailurePolicy
}

/// A step taken before the entities.
public struct BeforeStep: Sendable, Equatable {
    /// What is done.
    public enum Action: Sendable, Equatable {
        case call(String)
        case preset(PresetStep)
    }
    /// What is done.
    public var action: Action
    /// Any of these must hold; always when empty.
    public var ifAny: [Condition]
}

/// A question about what earlier calls answered or what is stored.
public enum Condition: Sendable, Equatable {
    case equals(Template, JSONValue)
    /// The named call never succeeded for this user.
    case neverSucceeded(String)
    /// The list differs from what the call it guards last sent with success.
    case listChanged(String)
    /// The user has no row in `synced.<table>`.
    case tableEmpty(String)
}

/// A step that only a preset knows how to take.
public enum PresetStep: Sendable, Equatable, Hashable {
    /// The zone is looked up and made when it is missing; remembered: not again after a success.
    case ensureZone(String, isRemembered: Bool)
    /// The credential must be of the account whose data is stored; asked again after each
    /// new secret.
    case checkAccount
}
