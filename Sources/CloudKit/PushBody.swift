import JSON
import Asking
import Reading

extension PushOperation {
    /// The operation as `records/modify` takes it; the record type is left out where there is none.
    func body(recordType: String?) -> JSONValue {
        var record = [JSONMember("recordName", .string(recordName))]
        if !isDeletion, let recordType {
            record.append(JSONMember("recordType", .string(recordType)))
        }
        switch action {
        case .update(let tag), .delete(let tag?):
            record.append(JSONMember("recordChangeTag", .string(tag)))
        case .create, .force, .delete(nil): break
        }
        if !isDeletion {
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
        case .delete(let tag): tag == nil ? "forceDelete" : "delete"
        }
    }

    /// Why one of the fields can't be sent; nil when each can.
    var obstacle: String? {
        for field in fields {
            if let value = field.value, case .failure(let obstacle) = wire(value) {
                return "\(field.name): \(obstacle.text)"
            }
        }
        return nil
    }

    /// The field as sent; nil when it is left out, which keeps what the record holds.
    private func member(_ field: PushField) -> JSONMember? {
        guard let value = field.value, value != .json("null") else {
            // A new record has nothing to clear.
            if action == .create { return nil }
            return JSONMember(field.name, .object([JSONMember("value", .null)]))
        }
        return (try? wire(value).get()).map { JSONMember(field.name, .object($0)) }
    }
}

/// Why a value has no form at CloudKit.
private struct Obstacle: Error {
    let text: String
}

/// A field's value, with CloudKit's word for its type where the column knows it.
///
/// A text may be `STRING` or `BYTES`, a whole number `INT64`, `TIMESTAMP` or `DOUBLE`, and JSON any list,
/// place or reference: the source, which knows its field, is not told a type that may be wrong.
private func wire(_ value: FieldValue) -> Result<[JSONMember], Obstacle> {
    switch value {
    case .text(let text): .success([JSONMember("value", .string(text))])
    case .int(let number): .success([JSONMember("value", .integer(number))])
    case .bool(let flag): .success(typed(.integer(flag ? 1 : 0), "INT64"))
    case .double(let number):
        number.isFinite
            ? .success(typed(.number(String(number)), "DOUBLE"))
            : .failure(Obstacle(text: "\(number) is no number that can be sent"))
    case .timestamp(let microseconds):
        .success(typed(.integer(milliseconds(microseconds)), "TIMESTAMP"))
    case .decimal(let text): .success([JSONMember("value", .number(text))])
    case .json(let text): raw(text)
    }
}

private func typed(_ value: JSONValue, _ type: String) -> [JSONMember] {
    [JSONMember("value", value), JSONMember("type", .string(type))]
}

/// JSON as the column keeps it, its numbers with all their digits.
private func raw(_ text: String) -> Result<[JSONMember], Obstacle> {
    guard let value = (try? JSONDocument(parsing: Array(text.utf8)))?.root.value else {
        return .failure(Obstacle(text: "what the column holds can't be read as JSON"))
    }
    if value == .array([]) {
        let reason =
            "an empty list can't be sent without the type of its elements; null clears the field"
        return .failure(Obstacle(text: reason))
    }
    return .success([JSONMember("value", value)])
}

/// Rounded down, also before 1970; a fraction is refused by CloudKit.
private func milliseconds(_ microseconds: Int64) -> Int64 {
    let (quotient, remainder) = microseconds.quotientAndRemainder(dividingBy: 1000)
    return remainder < 0 ? quotient - 1 : quotient
}
