import JSON
import JobFiles
import JobQueue

/// Fills templates.
///
/// A lone placeholder without a value takes its whole key away, and so does one of the pass inside
/// a longer text; any other there is an error, because half an address is no address.
struct Renderer {
    let values: Values

    /// The text of a template; nil when what its key is for is not there (`{since}` of a first pass).
    func text(
        _ template: Template, encoding: (String) -> String = { $0 }
    ) throws -> String? {
        if let lone = template.lonePlaceholder {
            return try values[lone].map { encoding(try plain($0, lone)) }
        }
        var text = ""
        for piece in template.pieces {
            switch piece {
            case .literal(let literal): text += literal
            case .placeholder(let placeholder):
                guard let value = values[placeholder] else {
                    if placeholder.isOfPass { return nil }
                    throw missing(placeholder)
                }
                text += encoding(try plain(value, placeholder))
            }
        }
        return text
    }

    /// The text of a template that must have a value, such as a path.
    func requiredText(_ template: Template, encoding: (String) -> String = { $0 }) throws -> String
    {
        guard let text = try text(template, encoding: encoding) else {
            throw missing(template.placeholders.first { values[$0] == nil } ?? .since)
        }
        return text
    }

    /// A body with its types kept: a lone placeholder's value stays a list or a number.
    func body(_ template: BodyTemplate) throws -> JSONValue? {
        switch template {
        case .literal(let value): return value
        case .text(let template):
            if let lone = template.lonePlaceholder { return values[lone] }
            return try text(template).map(JSONValue.string)
        case .array(let elements): return .array(try elements.compactMap(body))
        case .object(let members):
            return .object(
                try members.compactMap { member in
                    try body(member.value).map { JSONMember(member.name, $0) }
                })
        case .when(let placeholder, let inner):
            return values[placeholder] == nil ? nil : try body(inner)
        }
    }

    private func plain(_ value: JSONValue, _ placeholder: Placeholder) throws -> String {
        switch value {
        case .string(let text): return text
        case .number(let text): return text
        case .bool(let flag): return flag ? "true" : "false"
        case .array(let elements):
            return try elements.map { try plain($0, placeholder) }.joined(separator: ",")
        case .null, .object: throw missing(placeholder)
        }
    }

    private func missing(_ placeholder: Placeholder) -> RunEnd {
        if case .secret(let name) = placeholder { return .secretMissing(name) }
        return .failed(.missing, "there is no value for \(label(placeholder))")
    }

    private func label(_ placeholder: Placeholder) -> String {
        switch placeholder {
        case .user(let name): "{user.\(name)}: set it with `jobrunner user set … --set \(name)=…`"
        case .call(let name, _): "an answer of call \(name)"
        default: placeholder.description
        }
    }
}

extension Placeholder {
    /// Without a value in a pass's first request, as a rule.
    fileprivate var isOfPass: Bool { [.since, .until, .pageToken].contains(self) }
}
