import Basics
public import JSON
public import JobFiles

/// What a source says inside an answer when it failed.
public struct SaidFailure: Sendable, Equatable {
    /// In the source's words, and where they stand.
    public var message: String
    /// How long it wants to be left alone; nil when it does not say.
    public var wait: Duration?

    /// Describes a failure.
    public init(message: String, wait: Duration? = nil) {
        self.message = message
        self.wait = wait
    }
}

/// What an answer means by the rule that fits it.
public enum ErrorVerdict: Sendable, Equatable {
    /// There is nothing to read for this user, for the reason.
    case skip(String)
    /// It is an empty list.
    case empty(String)
    /// It is how the source says that no more pages follow.
    case end
    /// Asked again it may be another.
    case retry(SaidFailure)
    case fail(SaidFailure)
}

/// The rules by which an entity's answers are no lists: those that its file declares, and the `errors` of GraphQL.
public struct ErrorRules: Sendable {
    /// A longer wait is no wait; the caller has a limit of its own.
    private static let secondsMax = 1e9

    private var rules: [ErrorRule]
    private let expected: [Int]
    /// Records bring secrets, which nobody has taken out of a text that is told before the records are read.
    private let bringsSecrets: Bool

    /// A text is told that no rule names.
    private let quotes: Bool

    /// The rules of `entity`; `quotes`: reasons may be told in the answer's words where the file does not say by
    /// `message_at` which those are.
    public init(_ entity: Entity, quotes: Bool = true) {
        self.quotes = quotes
        rules = entity.errors + (entity.readsGraphQL ? [Self.graphQL] : [])
        expected = entity.request.expect
        bringsSecrets = !entity.records.secrets.isEmpty
    }

    /// `errors` beside `data`, of which there is at least one when a part of the answer could not be made.
    private static let graphQL = ErrorRule(
        body: BodyTest(at: Path(steps: [.member("errors")]), .filled, .bool(true)), then: .fail)

    /// Those for the first page of a pass: behind nothing no list ends, and the next rule that fits holds.
    public var ofFirstPage: ErrorRules {
        var first = self
        first.rules.removeAll { $0.then == .end }
        return first
    }

    /// Every answer is what its status says.
    public var isEmpty: Bool { rules.isEmpty }

    /// A rule looks into the body of an answer of that status.
    public func readBody(ofStatus status: Int) -> Bool {
        rules.contains { $0.body != nil && isFor(status, $0) }
    }

    /// What the first rule that fits makes of an answer; nil when none does.
    ///
    /// `root`: the body, where it is JSON. `asksForPatience`: the source wants to be asked later, which says by its status
    /// alone nothing of the list. `now`: seconds since 1970, which a time to wait for is compared with.
    public func verdict(
        status: Int, _ root: JSONNode?, asksForPatience: Bool = false, now: Int
    ) -> ErrorVerdict? {
        for rule in rules where isFor(status, rule) {
            if let test = rule.body {
                guard let root, test.holds(in: root) else { continue }
            } else if asksForPatience, rule.then != .retry {
                continue
            }
            let words = message(rule, status, root)
            switch rule.then {
            case .skip: return .skip(words)
            case .empty: return .empty(words)
            case .end: return .end
            case .retry:
                return .retry(
                    SaidFailure(message: words, wait: root.flatMap { wait(rule, $0, now) }))
            case .fail: return .fail(SaidFailure(message: words))
            }
        }
        return nil
    }

    private func isFor(_ status: Int, _ rule: ErrorRule) -> Bool {
        (rule.statuses.isEmpty ? expected : rule.statuses).contains(status)
    }

    private func message(_ rule: ErrorRule, _ status: Int, _ root: JSONNode?) -> String {
        let answer =
            expected.contains(status) ? "the answer" : "the answer, which has status \(status),"
        let place = rule.messageAt ?? rule.body?.at
        guard let place else { return "the answer has status \(status)" }
        let found =
            root.flatMap { place.first(in: $0) ?? rule.body?.at.first(in: $0) }
        guard let found else { return "\(answer) has nothing at \(place)" }
        // It is asked again before anything is read of this answer.
        if bringsSecrets, rule.then == .retry {
            return "\(answer) says at \(place) that it is none yet"
        }
        guard quotes || rule.messageAt != nil else {
            return "\(answer) fits the rule of errors about \(place)"
        }
        let words = found.string ?? found.rawText.beginning(200)
        return "\(answer) says at \(place): \(words)"
    }

    private func wait(_ rule: ErrorRule, _ root: JSONNode, _ now: Int) -> Duration? {
        guard let node = rule.waitAt?.first(in: root), let text = node.numberText ?? node.string,
            let seconds = SaidWait.seconds(text, now: now)
        else { return nil }
        return .milliseconds(Int(min(seconds, Self.secondsMax) * 1000))
    }
}

extension BodyTest {
    fileprivate func holds(in root: JSONNode) -> Bool {
        let node = at.first(in: root)
        switch comparison {
        case .eq: return node?.value.map { $0.isSame(as: value) } ?? false
        case .ne: return !(node?.value.map { $0.isSame(as: value) } ?? false)
        case .in: return isAmong(node)
        case .notIn: return !isAmong(node)
        case .filled: return (node?.saysSomething ?? false) == (value == .bool(true))
        case .contains:
            guard let node, let words = value.string else { return false }
            return (node.string ?? node.rawText).lowercased().contains(words.lowercased())
        }
    }

    private func isAmong(_ node: JSONNode?) -> Bool {
        guard let found = node?.value, case .array(let values) = value else { return false }
        return values.contains { $0.isSame(as: found) }
    }
}

extension JSONNode {
    /// Not null, false, zero or empty.
    var saysSomething: Bool {
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
