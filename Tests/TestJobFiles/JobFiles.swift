public import JSON
public import JobFiles

/// A field of a record, named like its place in it.
public func field(
    _ name: String, _ kind: Field.Kind, required: Bool = false, defaultValue: JSONValue? = nil,
    oneOf: [String]? = nil
) throws -> Field {
    let entity = try entity(
        fields: "{ \(name): { at: \(name), type: \(kind.rawValue) } }", key: nil)
    var field = entity.records.fields[0]
    field.required = required
    field.defaultValue = defaultValue
    field.oneOf = oneOf
    return field
}

/// A whole job file around one entity; a text that is no job file fails the test with its mistakes.
public func jobFile(
    source: String = "{ id: hub, base: \"https://hub.example\" }",
    request: String = "{ path: /feed }", errors: String? = nil,
    page: String = "{ style: single }", incremental: String? = nil, at: String = "videos[]",
    fields: String = "{ id: { at: id, type: text, required: true } }", key: String? = "[id]",
    keepIf: String? = nil, write: String = "{ table: video, mode: overwrite }",
    recover: String = "[]", records: String = ""
) throws -> JobFile {
    // A file must have a key; a test of one field brings a required one along.
    let keyed =
        key == nil
        ? fields.replacing(#/\s*}$/#, with: ", a_key: { at: k, type: text, required: true } }")
        : fields
    let text = """
        version: 1
        job: app.refresh
        schedule: { every: 1h, deadline: 5m }
        source: \(source)
        entities:
          - entity: video
            request: \(request)
        \(errors.map { "    errors: \($0)" } ?? "")
            page: \(page)
        \(incremental.map { "    incremental: \($0)" } ?? "")
            records:
              at: "\(at)"
              key: \(key ?? "[a_key]")
              fields: \(keyed)
        \(keepIf.map { "      keep_if: \($0)" } ?? "")
        \(records.isEmpty ? "" : "      \(records)")
            write: \(write)
            recover: \(recover)
        """
    return try JobFile.parse(text, file: "test.yaml").get()
}

/// The one entity of such a file.
public func entity(
    page: String = "{ style: single }", request: String = "{ path: /feed }",
    errors: String? = nil, incremental: String? = nil, at: String = "videos[]",
    fields: String = "{ id: { at: id, type: text, required: true } }", key: String? = "[id]",
    keepIf: String? = nil, write: String = "{ table: video, mode: overwrite }",
    recover: String = "[]", records: String = ""
) throws -> Entity {
    try jobFile(
        request: request, errors: errors, page: page, incremental: incremental, at: at,
        fields: fields, key: key,
        keepIf: keepIf, write: write, recover: recover, records: records
    ).entities[0]
}

/// The root of a JSON text.
public func node(_ text: String) throws -> JSONNode {
    try JSONDocument(parsing: Array(text.utf8)).root
}
