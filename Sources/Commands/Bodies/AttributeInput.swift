import JSON

/// The attributes that the `--set` options give, as one JSON object.
func attributesJSON(_ arguments: ParsedArguments) -> String {
    let members = arguments.assignments("set").compactMap { pair in
        if case .text(let text) = pair.value { JSONMember(pair.name, .string(text)) } else { nil }
    }
    return JSONValue.object(members).text
}
