import JSON
import Asking
import Reading

extension PushOperation {
    /// The operation as `records/modify` takes it; the record type is left out where there is none.
    func body(recordType: String?) -> JSONValue {
        var record = [JSONMember("recordName", .string(recordName))]
        if action != .delete {
            if let recordType { record.append(JSONMember("recordType", .string(recordType))) }
            if case .update(let tag) = action {
                record.append(JSONMember("recordChangeTag", .string(tag)))
            }
            record.append(JSONMember("fields", .object(fields.compactMap(member))))
        }
        return .object([
            JSONMember("operationType", .string(word)), JSONMember("record", .object(record)),
        ])
    }

    private var word: String {
        switch action {
        case .create: "create"
        case .update: "update"
        case .force: "forceUpdate"
        case .delete: "forceDelete"
        }
    }

    /// The field as sent; nil: it is left out, which keeps what the record holds.
    private func member(_ field: PushField) -> JSONMember? {
        guard let value = field.value else {
            // A new record has nothing to clear.
            if action == .create { return nil }
            return JSONMember(field.name, .object([JSONMember("value", .null)]))
        }
        return wire(value).map { value, type in
            let pair = [JSONMember("value", value), JSONMember("type", .string(type))]
            return JSONMember(field.name, .object(pair))
        }
    }
}

/// A value and CloudKit's word for its type (section 4.2).
///
/// Nil for what has none: lists and objects, which a column keeps raw, and numbers that JSON lacks.
private func wire(_ value: FieldValue) -> (JSONValue, String)? {
    switch value {
    case .text(let text): return (.string(text), "STRING")
    case .int(let number): return (.integer(number), "INT64")
    case .bool(let flag): return (.integer(flag ? 1 : 0), "INT64")
    case .double(let number): return number.isFinite ? (.number(String(number)), "DOUBLE") : nil
    case .timestamp(let microseconds): return (.integer(milliseconds(microseconds)), "TIMESTAMP")
    case .json(let text):
        guard let document = try? JSONDocument(parsing: Array(text.utf8)),
            let string = document.root.string
        else { return nil }
        return (.string(string), "STRING")
    }
}

/// Rounded down, also before 1970; a fraction is refused by CloudKit.
private func milliseconds(_ microseconds: Int64) -> Int64 {
    let (quotient, remainder) = microseconds.quotientAndRemainder(dividingBy: 1000)
    return remainder < 0 ? quotient - 1 : quotient
}
