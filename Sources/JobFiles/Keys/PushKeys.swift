extension Mapping where Model == Push {
    static let push = Mapping(
        "push", "How local edits reach the source.", blank: .blank
    ) {
        standard(
            "deletes", \.sendsDeletes, .boolean,
            "With `true` rows that wait for their deletion are deleted at the source too."
        ).when(\.sendsDeletes)
        standard(
            "batch", \.batch, .integer(1...CloudKitAddress.batchMax),
            "How many rows are in one request.")
        required(
            "record_type", \.recordType, .sourceName("record type"),
            "What is written: one of the operation's record types.")
        required("record_name", \.recordName, .rowName, "The name of a row's record.")
        standard(
            "operation", \.operation, .word("operation"),
            "How a row is written. `force` overwrites whatever is there.")
        part(
            "on_conflict", conflict, .optional("`{ resolve: newest_wins, times: 2 }`"),
            "What follows when the source has another version. It is always looked up first.")
        optional(
            "debounce", \.debounce, .duration(.zero ... .hours(1)),
            without: "edits wait for the schedule",
            "A local edit makes the job due after this span.")
    }

    private static let conflict = Mapping(
        "conflict", "What follows when the source has another version.", blank: .blank
    ) {
        required(
            "resolve", \.resolution, .word("resolution"),
            """
            Which version wins. `newest_wins` goes by `newer_by`; by the server's `modified_at` the \
            source always wins.
            """)
        required(
            "times", \.conflictRounds, .integer(0...10),
            "How many rounds of look-up and new attempt a batch has. What is left stays unsent.")
    }
}

extension Push {
    fileprivate static let blank = Push(
        batch: CloudKitAddress.batchMax, recordType: "", recordName: .blank,
        operation: .createOrUpdateWithTag, resolution: .newestWins, conflictRounds: 2,
        sendsDeletes: false)
}
