import JSON
import JobFiles

/// What the translation of one stream has found so far: what it sends, declares, and leaves.
final class StreamContext {
    let stream: String
    let config: ConfigTable
    /// The attributes that it needs, by name.
    var inputs: [String: DeclaredInput] = [:]
    /// The secrets that it needs.
    var secrets: Set<String> = []
    /// The hosts that may be chosen for the token endpoint.
    var tokenHosts: [String] = []
    /// What signs each request by itself, and where it is sent.
    var signInOption: (place: JSONValue, value: String)?
    /// The call that begins a session.
    var login: LoginDraft?
    /// The `$parameters` of the component that is read.
    var parameters = JSONValue.null
    /// The item's name by that of the partition field, such as `board_id`.
    var items: [String: String] = [:]
    /// The type of each item, by its name.
    var itemTypes: [String: String] = [:]
    /// Items that the parent was asked for itself.
    var inheritedItems: Set<String> = []
    /// The entities whose rows the stream is read for.
    var parentEntities: [EntityDraft] = []
    /// The items that are sent.
    var sentItems: Set<String> = []
    /// The stream reads the times of a server-side cursor.
    var hasCursor = false
    var cursorFields = (start: "start_time", end: "end_time")
    var cursorFormat = "%Y-%m-%dT%H:%M:%S.%f%z"
    /// How `{since}` and `{until}` are sent.
    var sentFormats: Set<String> = []
    var sendsSince = false
    var sendsUntil = false
    var sendsToken = false
    /// What the position of a list is at its beginning, where the request says so.
    var firstPosition: Int?
    /// Pages are counted, so that there is one behind the last.
    var countsPages = false
    /// The status that a predicate asks for beside the body.
    var predicateStatus: Int?
    private(set) var left: [Left] = []
    private(set) var notes: [String] = []

    init(stream: String, config: ConfigTable) {
        self.stream = stream
        self.config = config
    }

    func leave(_ place: String, _ what: String, _ why: String, nearest: String? = nil) {
        let line = Left(
            stream: stream, place: place, what: what, why: why,
            nearest: nearest ?? "write this entity by hand")
        if !left.contains(line) { left.append(line) }
    }

    func leave(_ place: String, _ error: Untranslatable) {
        leave(place, error.what, error.why, nearest: error.nearest)
    }

    /// What is translated, and in a way that a person may want to know.
    func note(_ text: String) { if !notes.contains(text) { notes.append(text) } }

    /// What the closure makes; nil, and one more thing left, where it can't.
    func attempt<Value>(_ place: String, _ make: () throws(Untranslatable) -> Value) -> Value? {
        do {
            return try make()
        } catch {
            leave(place, error)
            return nil
        }
    }

    /// The placeholder of a value of the configuration.
    func placeholder(
        _ path: [String], fallback: JSONValue? = nil, type: String? = nil, asSecret: Bool = false
    ) throws(Untranslatable) -> Placeholder {
        let entry = config.entry(path)
        let name = config.name(path)
        if asSecret || entry?.isSecret ?? false {
            secrets.insert(name)
            return .secret(name)
        }
        if entry?.type == "array" || entry?.type == "object" {
            throw Untranslatable(
                "config.\(path.joined(separator: "."))", "a list of the configuration inside a text"
            )
        }
        var input = DeclaredInput()
        input.type =
            type ?? (entry?.type == "integer" && entry?.choices.isEmpty ?? true ? "int" : "text")
        input.standard = fallback?.scalarText ?? entry?.standardText
        input.choices = entry?.choices ?? []
        input.isNeeded = entry?.isRequired ?? false
        try declare(name, input)
        return .user(name)
    }

    /// One attribute means one thing in the whole stream.
    func declare(_ name: String, _ input: DeclaredInput) throws(Untranslatable) {
        guard let known = inputs[name] else {
            inputs[name] = input
            return
        }
        guard let merged = known.merged(with: input) else {
            throw Untranslatable(
                "config \(name)", "one value of the configuration stands for two things",
                nearest: "give the user two attributes")
        }
        inputs[name] = merged
    }
}

extension DeclaredInput {
    /// Both at once; nil where they contradict each other.
    func merged(with other: DeclaredInput) -> DeclaredInput? {
        guard map == other.map, form == other.form,
            standard == other.standard || standard == nil || other.standard == nil
        else { return nil }
        guard type == other.type || type == "timestamp" || other.type == "timestamp" else {
            return nil
        }
        var result = self
        result.standard = standard ?? other.standard
        if other.type == "timestamp" { result.type = "timestamp" }
        result.choices = choices.isEmpty || other.choices.isEmpty ? [] : choices
        result.isNeeded = isNeeded || other.isNeeded
        return result
    }
}
