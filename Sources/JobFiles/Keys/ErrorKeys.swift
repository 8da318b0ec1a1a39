import JSON

extension Form where Value == [ErrorRule] {
    /// In file order; a rule that no answer reaches is a mistake.
    static let errors = filled(Mapping<ErrorRule>.errors.form).check { rules, place in
        let nodes = place.node.elements
        guard nodes.count == rules.count else { return }
        for (index, rule) in rules.enumerated() {
            // Of the first page no list ends, so that a rule for it may stand behind one that ends a list.
            let before = rules[..<index].filter {
                $0.body == nil && ($0.then != .end || rule.then == .end)
            }.flatMap(\.statuses)
            guard !rule.statuses.isEmpty, rule.statuses.allSatisfy(before.contains) else {
                continue
            }
            place.reading.add(
                nodes[index],
                "a rule before it takes every answer with \(rule.statuses.inWords), so that this one never fits"
            )
        }
    }
}

extension [Int] {
    fileprivate var inWords: String { map(String.init).joined(separator: " or ") }
}

extension Mapping where Model == ErrorRule {
    /// A refused credential, and what asks for patience: by their status alone they say nothing of the list.
    private static let unclear = [401, 408, 421, 425, 429]

    fileprivate static let errors = Mapping(
        "errors", "What an answer means that is no list. The first rule that fits holds.",
        blank: ErrorRule(then: .fail),
        rules: [.when(.not(.isThere("status")), [.needs(["body"])])]
    ) {
        usual(
            "status", \.statuses, .oneOrMore(.answerStatus),
            without: "a status of `request.expect`",
            """
            The statuses that the rule is for. For 401 and 421, and for 408, 425 and 429 unless it retries, the \
            rule needs `body`.
            """)
        optional(
            "body", \.body, Mapping<BodyTest>.body.form, without: "whatever the body is",
            "What the body must hold besides. A body that is no JSON fits no such rule.")
        required(
            "then", \.then, .word("word"),
            """
            `skip`: the source has nothing of the entity for this user. The pass is over, what is here stays, and \
            no position moves. `empty`: it is an empty list, as 204 is, so that what a full pass does not show may \
            go. `end`, for styles `offset` and `page`: no more pages follow; at the first page the next rule that fits \
            holds. `retry`: the request is sent again, as \
            after 5xx. `fail`: the run fails of it, and what a good status carries is stored.
            """)
        optional(
            "wait_at", \.waitAt, .innerPath, without: "where `source.retry.wait_from` says",
            """
            With `retry`: where in the body the source says how long it wants to be left alone. A run that is put \
            off for that counts no failure.
            """)
        optional(
            "message_at", \.messageAt, .innerPath,
            without: "what `body.at` leads to, where errors quote",
            "Where in the body the source says in words what is wrong.")
    } check: { place, rule in
        if rule.statuses.isEmpty, !place.has("status"), rule.body == nil, !place.has("body") {
            place.reading.add(place.node, "missing key \"status\" or \"body\"")
        }
        if rule.then != .retry {
            place.report(ifThere: "wait_at", "only retry waits; leave wait_at out")
        }
        checkStatuses(place, rule)
    }

    private static func checkStatuses(_ place: Place, _ rule: ErrorRule) {
        guard let status = place.node["status"] else { return }
        let isPatience = rule.then == .retry
        let bare = rule.statuses.first {
            unclear.contains($0) && (!isPatience || [401, 421].contains($0))
        }
        if let bare, !place.has("body") {
            place.reading.add(
                status,
                [401, 421].contains(bare)
                    ? "\(bare) parks the job until a new secret arrives; only a body says more, so add body"
                    : "\(bare) asks for patience; only a body says more, so add body")
        }
        let mayPass = rule.statuses.first { $0 >= 500 || $0 == 403 || unclear.contains($0) }
        if let mayPass, rule.then == .empty {
            place.reading.add(
                status,
                "\(mayPass) does not say that there is nothing, and rows would go; expected skip, which keeps them"
            )
        } else if let mayPass, rule.then == .end {
            place.reading.add(
                status,
                "\(mayPass) says nothing of the list's end; expected such as 400, 404 or 416")
        }
    }
}

extension Form where Value == Int {
    /// Of an answer that may mean something else than its status.
    fileprivate static let answerStatus = Form(
        type: .anyOf([.integer(200...299), .integer(400...599)]),
        read: { node, reading in
            guard let status = reading.int(node, 200...599) else { return nil }
            guard (300...399).contains(status) else { return status }
            reading.add(
                node,
                "\(status) is followed or means that nothing has changed; expected 2xx, 4xx or 5xx")
            return nil
        }, write: { .integer($0) })
}

extension Mapping where Model == BodyTest {
    fileprivate static let body = Mapping(
        "body", "What the body of an answer must hold.",
        blank: BodyTest(at: Path(steps: []), .filled, .bool(true)),
        oneOf: BodyTest.Comparison.allCases.map(\.rawValue)
    ) {
        required(
            "at", \.at, .onePath, "Where in the body the value stands; `\"\"` is all of it.")
        compared(.eq, one, "It is this.")
        compared(.ne, one, "It is not this, or is not there.")
        compared(.in, several, "It is one of these.")
        compared(.notIn, several, "It is none of these, or is not there.")
        compared(
            .filled,
            Form<Bool>.boolean.map({ value, _ in .bool(value) }, back: { $0 == .bool(true) }),
            "Whether something is there that says something: not null, `false`, 0 or empty.")
        compared(
            .contains,
            Form<String>.notEmpty("an empty text is in every body").map(
                { text, _ in .string(text) }, back: { $0.string ?? "" }),
            "It holds these words, whatever their case.")
    }

    private static let one = Form<JSONValue>.any("a value")
    private static let several = Form<[JSONValue]>.filled(one).map(
        { values, _ in JSONValue.array(values) },
        back: { if case .array(let values) = $0 { values } else { [] } })

    private static func compared(
        _ comparison: BodyTest.Comparison, _ form: Form<JSONValue>, _ meaning: String
    ) -> Key<BodyTest> {
        dependent(
            comparison.rawValue, \.self, form.type,
            read: { node, place, test in
                form.read(node, place.reading).map { BodyTest(at: test.at, comparison, $0) }
            }, write: { $0.comparison == comparison ? form.write($0.value) : nil }, meaning)
    }
}
