public import JSON
public import JobFiles

/// What a source says inside an answer of a good status when it failed.
public struct SaidFailure: Sendable, Equatable {
    /// In the source's words, and where they stand.
    public var message: String
    /// How long it wants to be left alone; nil when it does not say.
    public var wait: Duration?
}

/// Finds the signs of failure that an entity's answers may hold: those that its file declares, and the `errors` of
/// GraphQL.
public struct FailureSigns: Sendable {
    /// A longer wait is no wait; the caller has a limit of its own.
    private static let secondsMax = 1e9

    private let signs: [FailureSign]

    /// The signs of `entity`.
    public init(_ entity: Entity) {
        signs = entity.errors + (entity.readsGraphQL ? [Self.graphQL] : [])
    }

    /// `errors` beside `data`, of which there is at least one when a part of the answer could not be made.
    private static let graphQL = FailureSign(at: Path(steps: [.member("errors")]))

    /// The first sign that the answer holds; nil when it is good.
    ///
    /// `now`: seconds since 1970, which a time to wait for is compared with.
    public func failure(in root: JSONNode, now: Int) -> SaidFailure? {
        for sign in signs where sign.isFailure(root) {
            return SaidFailure(message: sign.message(in: root), wait: wait(sign, root, now))
        }
        return nil
    }

    private func wait(_ sign: FailureSign, _ root: JSONNode, _ now: Int) -> Duration? {
        guard let node = sign.waitAt?.first(in: root), let text = node.numberText ?? node.string,
            let seconds = SaidWait.seconds(text, now: now)
        else { return nil }
        return .milliseconds(Int(min(seconds, Self.secondsMax) * 1000))
    }
}

extension FailureSign {
    fileprivate func isFailure(_ root: JSONNode) -> Bool {
        let node = at.first(in: root)
        guard let mustBe else { return node?.saysSomething ?? false }
        guard let value = node?.value else { return true }
        return !mustBe.contains { $0.isSame(as: value) }
    }

    fileprivate func message(in root: JSONNode) -> String {
        let found = messageAt?.first(in: root) ?? at.first(in: root)
        guard let found else { return "the answer has nothing at \(at)" }
        let words = found.string ?? String(found.rawText.prefix(200))
        return "the answer says at \(messageAt ?? at): \(words)"
    }
}

extension JSONNode {
    /// Not null, false, zero or empty.
    fileprivate var saysSomething: Bool {
        switch kind {
        case .null: false
        case .bool: bool == true
        case .number: Double(rawText) != 0
        case .string: string?.isEmpty == false
        case .array, .object: count > 0
        }
    }
}

extension JSONValue {
    /// The same value, numbers by what they mean.
    fileprivate func isSame(as other: JSONValue) -> Bool {
        if case .number(let left) = self, case .number(let right) = other {
            return left == right || Double(left) == Double(right)
        }
        return self == other
    }
}

extension Entity {
    /// Its body has a query of GraphQL, and its records are not the errors themselves.
    fileprivate var readsGraphQL: Bool {
        let isAsked =
            request.method == "POST" && request.body?.members.contains("query") == true
            || request.query.contains { $0.name == "query" && $0.value.holdsBraces }
        return isAsked && records.at.steps.first != .member("errors")
    }
}

extension Template {
    /// It has a selection of fields, as a query of GraphQL and no word that is searched for.
    fileprivate var holdsBraces: Bool {
        pieces.contains { if case .literal(let text) = $0 { text.contains("{") } else { false } }
    }
}

extension BodyTemplate {
    /// The names of its members, where it is an object.
    fileprivate var members: [String] {
        switch self {
        case .object(let members): members.map(\.name)
        case .literal(.object(let members)): members.map(\.name)
        default: []
        }
    }
}
