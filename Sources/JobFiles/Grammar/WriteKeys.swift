/// The keys of `write`.
enum WriteKey: String, KeySet {
    case table, mode
    case newerBy = "newer_by"
    case unique, deletes, indexes

    static let title = "write"
    static let meaning = "Where the records go and which version stays."
    static let rules: [KeyRule] = [.when(.has("mode", ["newest_wins"]), [.needs(["newer_by"])])]

    var key: KeyFacts {
        switch self {
        case .table:
            KeyFacts(
                .name, .required,
                "The table in schema `synced`, which is made and extended from the file.")
        case .mode:
            KeyFacts(
                .words(of: Write.Mode.self, "mode"), .required,
                "What happens to a record that is stored already. `insert_new` leaves it alone. `overwrite` "
                    + "replaces it if it differs. `newest_wins` replaces it if the new one is newer by "
                    + "`newer_by`, or as new and different where there is neither `push` nor `unique`; a full pass "
                    + "that was asked for replaces it whatever its version. `replace_all` is `overwrite`, and what two passes in a row did not show is deleted: "
                    + "every pass must be a full one, and there is no `push`.")
        case .newerBy:
            KeyFacts(
                .name, .optional("required by `newest_wins` and `max_seen`"),
                "The field, a timestamp, int or decimal, that says which version is newer.")
        case .unique:
            KeyFacts(
                .mapping(UniqueKey.self), .optional("the key alone tells rows apart"),
                "Rows that are one thing under several keys.")
        case .deletes:
            KeyFacts(
                .mapping(DeletesKey.self), .optional("nothing is ever deleted"),
                "How a record's disappearance reaches its row.")
        case .indexes:
            KeyFacts(
                .list(.filled(.name)), .optional(nil),
                "Lists of columns, one index each, for readers that sort or search by them.")
        }
    }
}

/// The keys of `unique`.
enum UniqueKey: String, KeySet {
    case by, keep, merge, losers

    static let title = "unique"
    static let meaning = "Rows that are one thing under several keys."

    var key: KeyFacts {
        switch self {
        case .by:
            KeyFacts(
                .filled(.name), .required,
                "Rows that agree in these columns are one thing. A row where one is null is its own."
            )
        case .keep:
            KeyFacts(
                .mapping(KeepKey.self), .required,
                "Which row stays. A tie is broken by the smallest key.")
        case .merge:
            KeyFacts(
                .named(.words(of: Unique.Rule.self, "rule"), by: .name),
                .optional("the kept row's own values"),
                "How columns of the rows become one value: `or`, `and` for bool; `max`, `min` for int, "
                    + "double, decimal and duration; `oldest`, `newest` for timestamp.")
        case .losers:
            KeyFacts(
                .words(of: Unique.Losers.self), .required,
                "What becomes of the other rows. With `delete` they are deleted here and at the source, "
                    + "which needs `push.deletes`; with `keep_hidden` they are kept out of the view of "
                    + "live rows.")
        }
    }
}

/// The keys of `keep`.
enum KeepKey: String, KeySet {
    case oldest, newest

    static let title = "keep"
    static let meaning = "Which row stays. A tie is broken by the smallest key."
    static let alternatives = allCases

    /// What the key stands for.
    var keep: Unique.Keep {
        switch self {
        case .oldest: .oldest
        case .newest: .newest
        }
    }

    var key: KeyFacts {
        switch self {
        case .oldest:
            KeyFacts(
                .name, .optional(nil), "The row with the smallest value of this timestamp column.")
        case .newest:
            KeyFacts(
                .name, .optional(nil), "The row with the largest value of this timestamp column.")
        }
    }
}

/// The keys of `deletes`.
enum DeletesKey: String, KeySet {
    case tombstones, unsent
    case flagAt = "flag_at"
    case flagIs = "flag_is"
    case softField = "soft_field"
    case sweep
    case maxFraction = "max_fraction"
    case confirm

    static let title = "deletes"
    static let meaning = "How a record's disappearance reaches its row."

    var key: KeyFacts {
        switch self {
        case .tombstones:
            KeyFacts(
                .word(["delete", "ignore"], noun: "word"), .default("delete"),
                "What a deletion in a change feed or by `flag_at` does. Ignored ones are counted.")
        case .unsent:
            KeyFacts(
                .words(of: Deletes.Unsent.self), .default("local_edit_wins"),
                "What a deletion of the source's does to a row with an unsent edit, whether a feed tells of it or a push meets "
                    + "it. `local_edit_wins` sends the row as a new record, `delete` deletes it; both are told."
            )
        case .flagAt:
            KeyFacts(
                .formed(.innerPath), .optional(nil),
                "A record with true here is a tombstone, whether the source writes true, 1 or one of them as a text. What "
                    + "is neither true nor false makes its record incompatible.")
        case .flagIs:
            KeyFacts(
                .anyOf([
                    .word(Deletes.Flag.names.map(\.key), noun: "word"), .filled(.text),
                ]), .default("truth"),
                "What stands at `flag_at`. With `time` a record that has a time there is a tombstone; one with nothing "
                    + "there is none, nor one whose time lies ahead or is how a source writes that there is none: 0, before "
                    + "1971, or in the year 9999. With `present` whatever stands there but null and `false` makes a tombstone, such as "
                    + "an object with the reason. A list has the words that mean deleted, such as `[cancelled, removed]`."
            )
        case .softField:
            KeyFacts(
                .name, .optional(nil),
                "A timestamp field. A value in it hides the row from the view of live rows, unless it lies ahead. A time "
                    + "before 1971, as sources write that there is none, is null.")
        case .sweep:
            KeyFacts(
                .word(["after_full_pass"], noun: "word"), .optional("absence deletes nothing"),
                "Rows that two full, complete passes in a row did not show are deleted, but for unsent ones and those "
                    + "that no pass of this entity has shown. An incremental entity needs `full_every` for it. It goes neither with `for_each` nor "
                    + "with a keyset that persists.")
        case .maxFraction:
            KeyFacts(
                .number(0...1), .optional("no limit"),
                "A sweep that would delete a greater share of a user's rows deletes none, until a person raises this."
            )
        case .confirm:
            KeyFacts(
                .mapping(ConfirmKey.self), .optional("a second full pass must lack the row too"),
                "How the source is asked for one record that a full pass lacks: its row goes when the source "
                    + "says that the record is gone, and stays otherwise. Needs `sweep`.")
        }
    }
}

/// The keys of `confirm`.
enum ConfirmKey: String, KeySet {
    case path, gone

    static let title = "confirm"
    static let meaning = "How the source is asked for one record."

    var key: KeyFacts {
        switch self {
        case .path:
            KeyFacts(
                .formed(.urlPath), .required,
                "The path of one record, with `{row.x}` for columns of the key, such as "
                    + "`/items/{row.id}`. It is asked for by `GET`.")
        case .gone:
            KeyFacts(
                .filled(.integer(400...499)), .optional("`[404, 410]`"),
                "The status codes that say that the record is gone. A good answer says so too where it is null or 204, "
                    + "where it shows a record of another key (it was merged), or one that is deleted by `flag_at`, or else by "
                    + "`deleted`, `is_deleted` or `isDeleted`. An answer that shows no record leaves the row, and is told. Any "
                    + "other status ends the run as an answer to its list would.")
        }
    }
}
