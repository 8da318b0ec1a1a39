import JSON

extension Write {
    static let blank = Write(
        table: "", mode: .overwrite, newerBy: nil, unique: nil, deletes: nil, indexes: [])
}

extension Mapping where Model == Write {
    static let write = Mapping(
        "write", "Where the records go and which version stays.", blank: .blank,
        rules: [.when(.has("mode", ["newest_wins"]), [.needs(["newer_by"])])]
    ) {
        required(
            "table", \.table, .name,
            "The table in schema `synced`, which is made and extended from the file.")
        required(
            "mode", \.mode, .word("mode"),
            """
            What happens to a record that is stored already. `insert_new` leaves it alone. `overwrite` \
            replaces it if it differs. `newest_wins` replaces it if the new one is newer by \
            `newer_by`, or as new and different where there is neither `push` nor `unique`; a full pass \
            that was asked for replaces it whatever its version. `replace_all` is `overwrite`, and what two passes in a row did not show is deleted: \
            every pass must be a full one, and there is no `push`.
            """)
        optional(
            "newer_by", \.newerBy, .text(.name) { $1.text($0) },
            without: "required by `newest_wins` and `max_seen`",
            "The field, a timestamp, int or decimal, that says which version is newer.")
        optional(
            "unique", \.unique, Mapping<Unique>.unique.form,
            without: "the key alone tells rows apart", "Rows that are one thing under several keys."
        )
        optional(
            "deletes", \.deletes, Mapping<Deletes>.deletes.form, without: "nothing is ever deleted",
            "How a record's disappearance reaches its row.")
        usual(
            "indexes", \.indexes, .list(.columns("an index")),
            "Lists of columns, one index each, for readers that sort or search by them.")
        standard(
            "changes", \.tellsChanges, .boolean,
            """
            With `true` each change of a row is noted, and `jobrunner.changes_since` tells applications which rows \
            changed. It costs about as much again as the write itself.
            """)
    } check: { place, write in
        if write.mode == .newestWins, !place.has("newer_by") {
            place.reading.add(
                place.node,
                "mode newest_wins needs newer_by, the field that says which is newer")
        }
    }
}

extension Form where Value == [String] {
    /// Mapped columns, each once, none of them `json`; a mistake says so of the noun.
    fileprivate static func columns(_ noun: String) -> Form {
        Form(
            type: .filled(.name),
            read: { node, reading in
                guard let elements = reading.filledList(node) else { return nil }
                let columns = reading.scope.entity?.columns
                var names: [String] = []
                for element in elements {
                    guard let name = reading.fieldName(element, names: columns?.names) else {
                        continue
                    }
                    if names.contains(name) { reading.add(element, "\"\(name)\" appears twice") }
                    names.append(name)
                    if columns?.field(named: name)?.kind == .json {
                        reading.add(element, "\(noun) can't hold a column of type json")
                    }
                }
                return names
            }, write: { .texts($0) })
    }
}

extension Form where Value == String {
    /// Of a timestamp among the columns; a mistake says what needs one.
    fileprivate static func timestamp(_ need: String) -> Form {
        field.check { name, place in
            if let kind = place.scope.entity?.columns?.field(named: name)?.kind, kind != .timestamp
            {
                place.reading.add(
                    place.node, "\(need) a timestamp, \"\(name)\" is \(kind.rawValue)")
            }
        }
    }
}

extension Mapping where Model == Unique {
    fileprivate static let unique = Mapping(
        "unique", "Rows that are one thing under several keys.", blank: .blank
    ) {
        required(
            "by", \.by, .columns("unique"),
            "Rows that agree in these columns are one thing. A row where one is null is its own.")
        part("keep", keep, .required, keep.meaning)
        dependent(
            "merge", \.merge, .named(rule.type, by: .name),
            read: { node, place, unique in
                place.reading.entries(node)?.compactMap { place.merge($0, by: unique.by) }
            }, write: { .named($0.map { ($0.column, .string($0.rule.rawValue)) }) },
            without: "the kept row's own values",
            """
            How columns of the rows become one value: `or`, `and` for bool; `max`, `min` for int, \
            double, decimal and duration; `oldest`, `newest` for timestamp.
            """)
        required(
            "losers", \.losers, .word(),
            """
            What becomes of the other rows. With `delete` they are deleted here and at the source, \
            which needs `push.deletes`; with `keep_hidden` they are kept out of the view of \
            live rows.
            """)
    } check: { place, unique in
        if let columns = place.scope.entity?.columns, Set(unique.by) == Set(columns.key) {
            place.report("by", "the key tells these rows apart already; leave unique out")
        }
    }

    private static let keep = Mapping(
        "keep", "Which row stays. A tie is broken by the smallest key.", blank: .blank,
        oneOf: ["oldest", "newest"]
    ) {
        one(
            "oldest", \.kept, .timestamp("oldest goes by"), { (.oldest, $0) },
            { $0.0 == .oldest ? $0.1 : nil },
            "The row with the smallest value of this timestamp column.")
        one(
            "newest", \.kept, .timestamp("newest goes by"), { (.newest, $0) },
            { $0.0 == .newest ? $0.1 : nil },
            "The row with the largest value of this timestamp column.")
    }

    fileprivate static let rule = Form<Unique.Rule>.word("rule")
}

extension Unique {
    fileprivate static let blank = Unique(
        by: [], keep: .oldest, keepField: "", merge: [], losers: .delete)

    fileprivate var kept: (Keep, String) {
        get { (keep, keepField) }
        set { (keep, keepField) = newValue }
    }
}

extension Place {
    fileprivate func merge(_ entry: Node.Entry, by: [String]) -> Unique.Merge? {
        let columns = scope.entity?.columns
        func add(_ message: String, nearest: String? = nil) {
            reading.add(entry.position, entry.value.path, message, nearest: nearest)
        }
        if let columns, !columns.names.contains(entry.key) {
            let (hint, nearest) = reading.suggestion(for: entry.key, in: columns.names)
            add("unknown field \"\(excerpt(of: entry.key))\"; \(hint)", nearest: nearest)
            return nil
        }
        guard let rule = Mapping<Unique>.rule.read(entry.value, reading) else { return nil }
        if columns?.key.contains(entry.key) == true || by.contains(entry.key) {
            add("\"\(entry.key)\" tells rows apart, so it can't be merged")
        }
        if let field = columns?.field(named: entry.key) {
            if field.meta != nil {
                add("\"\(entry.key)\" is the source's own value")
            } else if !rule.fits(field.kind) {
                reading.add(
                    entry.value,
                    "\(rule.rawValue) does not fit type \(field.kind.rawValue) of field "
                        + "\"\(field.name)\"; expected \(Unique.Rule.words(for: field.kind))")
            }
        }
        return Unique.Merge(column: entry.key, rule: rule)
    }
}

extension Unique.Rule {
    /// True where the rule makes one value of several of that type.
    func fits(_ kind: Field.Kind) -> Bool {
        switch self {
        case .or, .and: kind == .bool
        case .max, .min: [.int, .double, .decimal, .duration].contains(kind)
        case .oldest, .newest: kind == .timestamp
        }
    }

    /// The rules that fit a type, in words.
    fileprivate static func words(for kind: Field.Kind) -> String {
        let words = allCases.filter { $0.fits(kind) }.map(\.rawValue)
        return words.isEmpty ? "a number, a bool or a timestamp" : words.joined(separator: " or ")
    }
}

extension Mapping where Model == Deletes {
    fileprivate static let deletes = Mapping(
        "deletes", "How a record's disappearance reaches its row.",
        blank: Deletes(unsent: .localEditWins, flagIs: .truth, sweeps: false)
    ) {
        optional(
            "tombstones", \.tombstones, .word(), standard: "delete",
            "What a deletion in a change feed or by `flag_at` does. Ignored ones are counted.")
        standard(
            "unsent", \.unsent, .word(),
            """
            What a deletion of the source's does to a row with an unsent edit, whether a feed tells of it or a push meets \
            it. `local_edit_wins` sends the row as a new record, `delete` deletes it; both are told.
            """
        ).when { $0.unsent == .delete }
        optional(
            "flag_at", \.flagAt, .innerPath,
            """
            A record with true here is a tombstone, whether the source writes true, 1 or one of them as a text. What \
            is neither true nor false makes its record incompatible.
            """)
        standard(
            "flag_is", \.flagIs, .flag,
            """
            What stands at `flag_at`. With `time` a record that has a time there is a tombstone; one with nothing \
            there is none, nor one whose time lies ahead or is how a source writes that there is none: 0, before \
            1971, or in the year 9999. With `present` whatever stands there but null and `false` makes a tombstone, such as \
            an object with the reason. A list has the words that mean deleted, such as `[cancelled, removed]`.
            """
        ).when { $0.flagAt != nil }
        optional(
            "soft_field", \.softField, .timestamp("soft_field must be"),
            """
            A timestamp field. A value in it hides the row from the view of live rows, unless it lies ahead. A time \
            before 1971, as sources write that there is none, is null.
            """)
        usual(
            "sweep", \.sweeps, .only("after_full_pass"), without: "absence deletes nothing",
            """
            Rows that two full, complete passes in a row did not show are deleted, but for unsent ones and those \
            that no pass of this entity has shown. An incremental entity needs `full_every` for it, one with `for_each` a \
            field for each name of an item. It does not go with a keyset that persists.
            """)
        optional(
            "max_fraction", \.maxFraction, .number(0...1), without: "no limit",
            "A sweep that would delete a greater share of a user's rows deletes none, until a person raises this."
        )
        optional(
            "confirm", \.confirmation, Mapping<Confirmation>.confirm.form,
            without: "a second full pass must lack the row too",
            """
            How the source is asked for one record that a full pass lacks: its row goes when the source \
            says that the record is gone, and stays otherwise. Needs `sweep`.
            """)
    } check: { place, deletes in
        if !place.has("flag_at") {
            place.report(
                ifThere: "flag_is", "flag_is says what stands at flag_at, which is missing")
        }
        if !deletes.sweeps {
            place.report(
                ifThere: "confirm", "confirm has nothing to ask without sweep: after_full_pass")
        }
    }
}

extension Form where Value == Deletes.Flag {
    /// A word for its sort, or the words that mean deleted.
    fileprivate static let flag = Form(
        type: .anyOf([.word(Deletes.Flag.names.map(\.key), noun: "word"), .filled(.text)]),
        read: { node, reading in
            guard case .sequence = node.content else {
                let word = reading.choice(node, "word", of: Deletes.Flag.names.map(\.key))
                return Deletes.Flag.names.first { $0.key == word }?.value
            }
            guard let words = Form<[String]>.filled(.text).read(node, reading), !words.isEmpty
            else { return nil }
            if Set(words).count < words.count { reading.add(node, "a word appears twice") }
            return .words(words)
        },
        write: { flag in
            if case .words(let words) = flag { return .texts(words) }
            return Deletes.Flag.names.first { $0.value == flag }.map { .string($0.key) }
        })
}

extension Mapping where Model == Confirmation {
    fileprivate static let confirm = Mapping(
        "confirm", "How the source is asked for one record.",
        blank: Confirmation(path: .blank, columns: [], gone: [404, 410])
    ) {
        required(
            "path", \.path, .urlPath(.row),
            """
            The path of one record, with `{row.x}` for columns of the key, such as \
            `/items/{row.id}`. It is asked for by `GET`.
            """)
        usual(
            "gone", \.gone, .filled(.integer(400...499)), without: "`[404, 410]`",
            """
            The status codes that say that the record is gone. A good answer says so too where it is null or 204, \
            where it shows a record of another key (it was merged), or one that is deleted by `flag_at`, or else by \
            `deleted`, `is_deleted` or `isDeleted`. An answer that shows no record leaves the row, and is told. Any \
            other status ends the run as an answer to its list would.
            """)
    } check: { place, confirmation in
        confirmation.columns = confirmation.path.placeholders.compactMap { placeholder in
            if case .row(let name) = placeholder { name } else { nil }
        }
        if confirmation.columns.isEmpty {
            place.report(
                "path", "expected a placeholder {row.x}, so that each record has a path of its own")
        }
    }
}
