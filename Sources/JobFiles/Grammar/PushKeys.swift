/// The keys of `push`.
enum PushKey: String, KeySet {
    case deletes, batch
    case recordType = "record_type"
    case recordName = "record_name"
    case operation
    case onConflict = "on_conflict"
    case debounce

    static let title = "push"
    static let meaning = "How local edits reach the source."

    var key: KeyFacts {
        switch self {
        case .deletes:
            KeyFacts(
                .boolean, .default("false"),
                "With `true` rows that wait for their deletion are deleted at the source too.")
        case .batch:
            KeyFacts(
                .integer(1...CloudKitAddress.batchMax), .default("200"),
                "How many rows are in one request.")
        case .recordType:
            KeyFacts(
                .formed(.sourceName), .required,
                "What is written: one of the operation's record types.")
        case .recordName:
            KeyFacts(.formed(.rowTemplate), .required, "The name of a row's record.")
        case .operation:
            KeyFacts(
                .words(of: Push.Operation.self, "operation"), .default("create_or_update_with_tag"),
                "How a row is written. `force` overwrites whatever is there.")
        case .onConflict:
            KeyFacts(
                .mapping(ConflictKey.self), .optional("`{ resolve: newest_wins, times: 2 }`"),
                "What follows when the source has another version. It is always looked up first.")
        case .debounce:
            KeyFacts(
                .duration(.zero ... .hours(1)), .optional("edits wait for the schedule"),
                "A local edit makes the job due after this span.")
        }
    }
}

/// The keys of `on_conflict`.
enum ConflictKey: String, KeySet {
    case resolve, times

    static let title = "conflict"
    static let meaning = "What follows when the source has another version."

    var key: KeyFacts {
        switch self {
        case .resolve:
            KeyFacts(
                .words(of: Push.Resolution.self, "resolution"), .required,
                "Which version wins. `newest_wins` goes by `newer_by`; by the server's `modified_at` the "
                    + "source always wins.")
        case .times:
            KeyFacts(
                .integer(0...10), .required,
                "How many rounds of look-up and new attempt a batch has. What is left stays unsent."
            )
        }
    }
}
