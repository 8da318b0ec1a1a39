import JSON

extension Form where Value == [Input] {
    static let inputs = named(\.name, Mapping<Input>.input.form)
}

extension Mapping where Model == Input {
    fileprivate static let input = Mapping(
        "input", "An attribute of the user.", blank: Input(name: ""),
        rules: [.when(.isThere("map"), [.forbids(["one_of", "matches"])])]
    ) {
        standard(
            "type", \.kind, .word("type"),
            "What its value is: a text, number or boolean as a text; a whole number; or a time such as `2025-01-31T00:00:00Z`."
        )
        optional(
            "matches", \.shape, .word("form"), without: "any text",
            """
            What a text must look like: labels of a host without or with dots between, one segment of a path, or a UUID. \
            Where it stands in an address, that is checked in any case.
            """)
        optional(
            "default", \.standard, .text, without: "the run of a user without it ends as `skipped`",
            "What a user without the attribute is taken to have, as the attribute would hold it.")
        usual(
            "map", \.map, .meanings, without: "the value itself",
            "What the attribute's value stands for, wherever it is used. A value that is not here skips the run."
        )
        usual(
            "one_of", \.choices, .filled(.text), without: "any value",
            "The values that there are. Another one skips the run.")
    } check: { place, input in
        if place.scope.isTenant {
            place.reading.add(
                place.node, "a job of scope tenant is of no user, so it has no inputs")
        }
        if place.has("map") {
            for key in ["one_of", "matches"] {
                place.report(ifThere: key, "map lists the values already; leave \(key) out")
            }
            if input.kind != .text {
                place.report("type", "map is for type text, not \(input.kind.rawValue)")
            }
        } else if input.kind != .text {
            place.report(ifThere: "matches", "matches is for type text, not \(input.kind.rawValue)")
        }
        if let standard = input.standard, let problem = input.problem(with: standard) {
            place.report("default", "default is \(problem)")
        }
        for (value, node) in zip(input.choices, place.node["one_of"]?.elements ?? []) {
            if let problem = input.problem(with: value) { place.reading.add(node, problem) }
        }
    }
}

extension Form where Value == [Input.Meaning] {
    fileprivate static let meanings = named(
        \.value,
        Form<String>.text.map(
            { text, _ -> Input.Meaning? in Input.Meaning(value: "", meaning: text) },
            back: \.meaning),
        by: .notEmpty, noun: "value"
    ) { entry, reading in
        if entry.key.isEmpty { reading.add(entry.position, entry.value.path, "expected a value") }
        return !entry.key.isEmpty
    }
}
