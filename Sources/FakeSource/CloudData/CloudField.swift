/// A field of a record: its type's name and its value as they travel.
struct CloudField: Equatable {
    var type: String
    var value: JSONValue

    init(_ type: String, _ value: JSONValue) {
        self.type = type
        self.value = value
    }

    /// A field of a request.
    ///
    /// `expected` is the schema's type, for values that don't say theirs.
    init(wire: JSONValue, expected: String?) throws(CloudError) {
        guard let value = wire["value"] else { throw .badRequest("Missing field value") }
        self.value = value
        type = wire["type"]?.text ?? expected ?? CloudField.inferred(value)
        guard isWellFormed else { throw .badRequest("Invalid value, expected type \(type).") }
    }

    /// A field of a command, kept as it is: tests may want what no schema allows.
    init(seeded wire: JSONValue) throws(BadRequest) {
        guard let value = wire["value"] else { throw BadRequest("a field has no 'value'") }
        self.value = value
        type = wire["type"]?.text ?? CloudField.inferred(value)
    }

    private static func inferred(_ value: JSONValue) -> String {
        switch value {
        case .string: "STRING"
        case .number, .integer: value.whole == nil ? "DOUBLE" : "INT64"
        case .array(let items): items.first.map { inferred($0) + "_LIST" } ?? "EMPTY_LIST"
        case .object(let members):
            if members["recordName"] != nil {
                "REFERENCE"
            } else if members["latitude"] != nil {
                "LOCATION"
            } else {
                "ASSETID"
            }
        default: "UNKNOWN"
        }
    }

    private var isWellFormed: Bool {
        switch type {
        case "STRING": value.text != nil
        case "BYTES": value.text.map { Base64.bytes(of: $0) != nil } ?? false
        case "INT64", "TIMESTAMP": value.whole != nil
        case "DOUBLE": value.double != nil
        case "REFERENCE": value["recordName"]?.text != nil
        case "LOCATION": value["latitude"]?.double != nil && value["longitude"]?.double != nil
        case _ where type.hasSuffix("LIST"): value.elements != nil
        case "UNKNOWN": false
        default: true
        }
    }

    /// The same with the whole address of an asset that is served here.
    func addressed(_ origin: String) -> CloudField {
        guard var members = value.members, let path = members["downloadURL"]?.text,
            path.hasPrefix(CloudAssets.path)
        else { return self }
        members["downloadURL"] = .string(origin + path)
        return CloudField(type, .object(members))
    }

    /// Numbers as text where the caller asked for that.
    func write(into json: inout JSONText, numbersAsStrings: Bool) {
        json.raw("{")
        json.key("value")
        shown(numbersAsStrings).write(into: &json)
        json.field("type", type)
        json.raw("}")
    }

    private func shown(_ numbersAsStrings: Bool) -> JSONValue {
        guard numbersAsStrings else { return value }
        switch type {
        case "INT64", "DOUBLE": return .string(value.canonical)
        case "INT64_LIST", "DOUBLE_LIST":
            return .array((value.elements ?? []).map { .string($0.canonical) })
        default: return value
        }
    }

    /// What it is compared by; lists and places are not.
    var key: CloudKey { CloudField.key(value) }

    static func key(_ value: JSONValue) -> CloudKey {
        if let number = value.double { return .number(number) }
        if let text = value.text ?? value["recordName"]?.text { return .text(text) }
        return .missing
    }
}
