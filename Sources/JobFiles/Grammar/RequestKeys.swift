/// Keys of a mapping that says what is sent.
protocol AskingKey: KeySet {
    static var method: Self { get }
    static var path: Self { get }
    static var query: Self { get }
    static var headers: Self { get }
    static var body: Self { get }
    static var expect: Self { get }
}

/// The keys of an entity's or a probe's `request`.
enum RequestKey: String, AskingKey {
    case method, path, query, headers, body, expect

    static let title = "request"
    static let meaning = "What is sent for each page."
    static let rules = [bodyRule]

    /// The methods of a request that reads.
    static let methods = ["GET", "POST"]

    /// Only a method that sends something has a body.
    static let bodyRule = KeyRule.when(
        .not(.all([.isThere("method"), .not(.has("method", ["GET"]))])), [.forbids(["body"])])

    var key: KeyFacts {
        switch self {
        case .method:
            KeyFacts(
                .word(Self.methods, noun: "method"), .default("GET"),
                "The method. A `GET` has no `body`.")
        case .path:
            KeyFacts(
                .formed(.urlPath), .required,
                "The path below `base`, of ASCII without `?`, `#` and white space. A value that makes a "
                    + "part of it empty, `.` or `..` fails the run.")
        case .query:
            KeyFacts(.named(.template, by: .notEmpty), .optional(nil), "The parameters, by name.")
        case .headers:
            KeyFacts(
                .named(.template, by: .ownHeaderName), .optional(nil),
                "The header fields, by name. They may hold `{secret.x}`.")
        case .body:
            KeyFacts(
                .any("any YAML"), .optional(nil),
                "What is sent as JSON. Texts are templates; plain numbers, `true`, `false` and `null` are "
                    + "what JSON calls them.")
        case .expect:
            KeyFacts(
                .filled(.integer(200...299)), .optional("`[200]`"),
                "The status codes of an answer that holds what was asked for. Any other one below 300 "
                    + "fails the run, but for 204, an empty list, and 202, which puts the run off.")
        }
    }
}

/// The keys of an element of `calls`.
enum CallKey: String, AskingKey {
    case method, path, query, headers, body, expect, retry
    case skipIfEmpty = "skip_if_empty"
    case minGap = "min_gap"
    case onFailure = "on_failure"

    static let title = "call"
    static let meaning = "A named request around the entities."
    static let rules = [RequestKey.bodyRule]

    /// The methods of a request that may change something.
    static let methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]

    var key: KeyFacts {
        switch self {
        case .method:
            KeyFacts(
                .word(Self.methods, noun: "method"), .default("GET"), RequestKey.method.key.meaning)
        case .path: RequestKey.path.key
        case .query: RequestKey.query.key
        case .headers: RequestKey.headers.key
        case .body: RequestKey.body.key
        case .expect:
            KeyFacts(
                .filled(.integer(100...599)), .optional("`[200]`"),
                "The status codes that are success.")
        case .retry:
            KeyFacts(
                .boolean, .default("true"),
                "With `false` the request is sent once, whatever happens.")
        case .skipIfEmpty:
            KeyFacts(
                .name, .optional(nil), "The name of a list. When it is empty, the call is not made."
            )
        case .minGap:
            KeyFacts(
                .duration(.seconds(1) ... .days(30)), .optional(nil),
                "A user has at most one success in this span.")
        case .onFailure:
            KeyFacts(
                .words(of: Call.FailurePolicy.self, "policy"), .default("fail"),
                "With `fail` the run fails with the call; with `warn` it goes on.")
        }
    }
}

/// The keys of a condition.
enum ConditionKey: String, KeySet {
    case equals
    case neverSucceeded = "never_succeeded"
    case listChanged = "list_changed"
    case tableEmpty = "table_empty"

    static let title = "condition"
    static let meaning = "A question about what earlier calls answered or what is stored."
    static let alternatives = allCases

    var key: KeyFacts {
        switch self {
        case .equals:
            KeyFacts(
                .pair(.formed(.placeholderTemplate), .any("any YAML")), .optional(nil),
                "It holds when what an earlier call answered is this value.")
        case .neverSucceeded:
            KeyFacts(
                .name, .optional(nil),
                "The name of a call. It holds when the call never succeeded for this user.")
        case .listChanged:
            KeyFacts(
                .name, .optional(nil),
                "The name of a list. It holds when the list differs from what the guarded call last sent "
                    + "with success.")
        case .tableEmpty:
            KeyFacts(
                .name, .optional(nil),
                "A table of this file. It holds when the user has no row in it.")
        }
    }
}

/// The keys of a step of `before`.
enum BeforeKey: String, KeySet {
    case call
    case ifAny = "if_any"
    case cloudkit, zone, remember

    /// The steps that only the preset knows how to take.
    static let presetSteps = ["ensure_zone", "check_account"]
    /// The keys of a step that calls.
    static let ofCalls: [BeforeKey] = [.call, .cloudkit, .ifAny]

    static let title = "before"
    static let meaning = "A step before the entities: a call, or a step of the preset."
    static let alternatives: [BeforeKey] = [.call, .cloudkit]
    static let rules: [KeyRule] = [
        .when(.isThere("call"), [.forbids(["zone", "remember"])]),
        .when(.isThere("cloudkit"), [.forbids(["if_any"])]),
        .when(.has("cloudkit", ["ensure_zone"]), [.needs(["zone"])]),
        .when(.has("cloudkit", ["check_account"]), [.forbids(["zone", "remember"])]),
    ]

    var key: KeyFacts {
        switch self {
        case .call: KeyFacts(.name, .optional(nil), "The name of the call that is made.")
        case .ifAny:
            KeyFacts(
                .filled(.mapping(ConditionKey.self)), .optional("the call is always made"),
                "The call is made when any of these conditions holds.")
        case .cloudkit:
            KeyFacts(
                .word(Self.presetSteps, noun: "step"), .optional(nil),
                "A step of the preset. `check_account`: the credential must be of the account whose data is "
                    + "stored, else the run ends as `needs_reauth`; it is asked again after each new secret. "
                    + "`ensure_zone`: the zone is looked up, and made when it is missing.")
        case .zone:
            KeyFacts(
                .formed(.zone), .optional("required with `ensure_zone`"),
                "The zone of `ensure_zone`.")
        case .remember:
            KeyFacts(
                .boolean, .default("false"),
                "With `true` the zone of `ensure_zone` is not looked up again after a success.")
        }
    }
}

/// The keys of a step of `after`.
enum AfterKey: String, KeySet {
    case call, cleanup
    case storeLists = "store_lists"
    case raiseCounts = "raise_counts"
    case onlyIf = "only_if"

    static let title = "after"
    static let meaning = "A step after the entities."
    static let alternatives: [AfterKey] = [.call, .cleanup, .storeLists, .raiseCounts]

    var key: KeyFacts {
        switch self {
        case .call: KeyFacts(.name, .optional(nil), "The name of the call that is made.")
        case .cleanup:
            KeyFacts(.mapping(CleanupKey.self), .optional(nil), "Deletes old rows of the user.")
        case .storeLists:
            KeyFacts(
                .mapping(StoreListsKey.self), .optional(nil),
                "Keeps lists in one record of the user, whenever one of them has changed. Needs the preset."
            )
        case .raiseCounts:
            KeyFacts(
                .mapping(RaiseCountsKey.self), .optional(nil),
                "Raises a number in the record of each item of a list by one, once for each user. Needs the preset."
            )
        case .onlyIf:
            KeyFacts(
                .words(of: AfterStep.OnlyIf.self), .default("complete"),
                "With `complete` the step is taken when every entity was read to its end; with `changed` "
                    + "only when something was written as well.")
        }
    }
}

/// The keys of `cleanup`.
enum CleanupKey: String, KeySet {
    case table
    case olderThan = "older_than"
    case by

    static let title = "cleanup"
    static let meaning = "Deletes old rows of the user."

    var key: KeyFacts {
        switch self {
        case .table: KeyFacts(.name, .required, "A table that an entity writes.")
        case .olderThan:
            KeyFacts(
                .duration(.minutes(1) ... .days(36_500)), .required, "How old the rows must be.")
        case .by: KeyFacts(.name, .required, "The timestamp column that tells how old a row is.")
        }
    }
}

/// The keys of `store_lists`.
enum StoreListsKey: String, KeySet {
    case recordType = "record_type"
    case recordName = "record_name"
    case lists

    static let title = "store_lists"
    static let meaning =
        "Keeps lists in one record of the user. Its other fields stay as they are; a list that is empty clears its field."

    var key: KeyFacts {
        switch self {
        case .recordType: KeyFacts(.formed(.sourceName), .required, "The type of the record.")
        case .recordName:
            KeyFacts(.template, .required, "The name of the record, such as `{user.user_id}`.")
        case .lists:
            KeyFacts(
                .named(.name, by: .sourceName, isFilled: true), .required,
                "Names of lists, each by the field that holds its items, a list of texts.")
        }
    }
}

/// The keys of `raise_counts`.
enum RaiseCountsKey: String, KeySet {
    case list
    case recordType = "record_type"
    case field

    static let title = "raise_counts"
    static let meaning =
        "Raises a number in the record of each item of a list by one, once for each user: not when it is sent twice, and "
        + "not when an item leaves the list and comes back. No number is ever lowered."

    var key: KeyFacts {
        switch self {
        case .list:
            KeyFacts(.name, .required, "The name of the list. Each item is the name of a record.")
        case .recordType: KeyFacts(.formed(.sourceName), .required, "The type of the records.")
        case .field: KeyFacts(.formed(.sourceName), .required, "The field that holds the number.")
        }
    }
}
