/// The keys of `source`.
enum SourceKey: String, KeySet {
    case id, base, preset, container, environment, database, auth, timeout, retry, rate, headers
    case zone

    static let title = "source"
    static let meaning = "The external system."
    static let rules: [KeyRule] = [.when(.isThere("preset"), [.needs(["auth"])])]

    var key: KeyFacts {
        switch self {
        case .id:
            KeyFacts(
                .formed(.sourceID), .required, "The name under which budget and breaker are shared."
            )
        case .base:
            KeyFacts(
                .formed(.baseURL), .requiredWithoutPreset,
                "The address of the source, without user, query, fragment, placeholder or trailing slash. "
                    + "With a preset it is Apple's unless it is given.")
        case .preset:
            KeyFacts(
                .word(["cloudkit"], noun: "preset"), .optional("plain HTTP and JSON"),
                "The protocol that the source speaks: a database of CloudKit Web Services.")
        case .container:
            KeyFacts(.formed(.container), .required, "The CloudKit container.", in: .withPreset)
        case .environment:
            KeyFacts(
                .words(of: CloudKitAddress.Environment.self, "environment"), .required,
                "The environment of the container.", in: .withPreset)
        case .database:
            KeyFacts(
                .words(of: CloudKitAddress.Database.self, "database"), .required,
                "The database of the container. The key of a server reaches the public one only.",
                in: .withPreset)
        case .auth:
            KeyFacts(
                Form<Authentication>.auth.type,
                .optional("`{ type: none }`; required with a preset"),
                "How a request proves whose it is.")
        case .timeout:
            KeyFacts(
                .duration(.milliseconds(100) ... .minutes(10)), .default("30s"),
                "The limit of one request.")
        case .retry:
            KeyFacts(
                Mapping<RetryRule>.retry.form.type, .optional(nil),
                "How one request is repeated within a run."
            )
        case .rate:
            KeyFacts(Mapping<Rate>.rate.form.type, .optional(nil), "What the source allows.")
        case .headers:
            KeyFacts(
                .named(.template, by: .ownHeaderName), .optional(nil),
                "Header fields that are sent with every request. They may hold `{secret.x}`.")
        case .zone:
            KeyFacts(
                .formed(.timeZone), .optional("such a time is UTC, and may move no watermark"),
                "The time zone of times that name no offset: `Europe/Berlin`, `+02:00`, or an attribute of the "
                    + "user such as `{user.time_zone}`.", in: .withoutPreset)
        }
    }
}
