import JobFiles
import Postgres
import Reading

extension Field {
    /// One column of several rows as an array bind.
    func bind(_ values: [FieldValue?]) -> Bind {
        switch kind {
        case .text, .url:
            .textArray(values.map { if case .text(let text) = $0 { text } else { nil } })
        case .timestamp:
            .timestamptzArray(
                values.map { if case .timestamp(let time) = $0 { time } else { nil } })
        case .int:
            .optionalInt8Array(
                values.map { if case .int(let number) = $0 { number } else { nil } })
        case .duration, .double:
            .doubleArray(values.map { if case .double(let number) = $0 { number } else { nil } })
        case .decimal:
            .textArray(values.map { if case .decimal(let text) = $0 { text } else { nil } })
        case .bool: .boolArray(values.map { if case .bool(let flag) = $0 { flag } else { nil } })
        case .json: .textArray(values.map { if case .json(let text) = $0 { text } else { nil } })
        }
    }

    /// The element type of such an array on the server, as it stands before `[]`; JSON travels as text and is cast last, a
    /// number of many digits is cast at once.
    var arrayType: String {
        switch kind {
        case .text, .url, .json: "text"
        case .timestamp: "timestamptz"
        case .int: "bigint"
        case .duration, .double: "double precision"
        case .decimal: "text[]::numeric"
        case .bool: "boolean"
        }
    }
}
