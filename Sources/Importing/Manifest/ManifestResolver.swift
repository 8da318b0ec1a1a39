import JSON

/// Follows `$ref` and hands `$parameters` down, as Airbyte does before it reads a manifest.
final class ManifestResolver {
    private let root: JSONValue
    private var known: [String: JSONValue] = [:]
    /// A reference that leads to itself through so many others is a circle.
    private static let depthMax = 40

    init(root: JSONValue) { self.root = root }

    /// The component with everything that it refers to and inherits in place.
    func component(_ value: JSONValue) throws(Untranslatable) -> JSONValue {
        inherited(try followed(value, depth: 0), [:])
    }

    private func followed(_ value: JSONValue, depth: Int) throws(Untranslatable) -> JSONValue {
        switch value {
        case .array(let elements):
            var found: [JSONValue] = []
            for element in elements { found.append(try followed(element, depth: depth)) }
            return .array(found)
        case .object(let members):
            var own: [JSONMember] = []
            for member in members where member.name != "$ref" {
                own.append(JSONMember(member.name, try followed(member.value, depth: depth)))
            }
            guard let place = value["$ref"]?.string else { return .object(own) }
            let target = try referred(place, depth: depth + 1)
            return target.overridden(by: own)
        case .string(let text) where text.hasPrefix("#/"):
            return try referred(text, depth: depth + 1)
        default: return value
        }
    }

    private func referred(_ place: String, depth: Int) throws(Untranslatable) -> JSONValue {
        if let found = known[place] { return found }
        guard depth < Self.depthMax else {
            throw Untranslatable(place, "a $ref that leads to itself")
        }
        var found: JSONValue? = root
        var rest = place.dropFirst(2).split(separator: "/", omittingEmptySubsequences: false)[...]
        while let name = rest.first, let here = found {
            rest = rest.dropFirst()
            if let elements = here.elements {
                found = Int(name).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
            } else {
                found = here[String(name)]
            }
            if rest.isEmpty { break }
            // What lies on the way may be a reference itself.
            if let inner = found, inner["$ref"] != nil {
                found = try followed(inner, depth: depth + 1)
            }
        }
        guard let found else { throw Untranslatable(place, "a $ref that leads nowhere") }
        let target = try followed(found, depth: depth)
        known[place] = target
        return target
    }

    /// A component gets each parameter as a key that it has not itself.
    private func inherited(_ value: JSONValue, _ above: [String: JSONValue]) -> JSONValue {
        switch value {
        case .array(let elements): return .array(elements.map { inherited($0, above) })
        case .object(let members):
            guard value.isComponent else {
                return .object(
                    members.map { JSONMember($0.name, inherited($0.value, above)) })
            }
            var parameters = above
            for own in value["$parameters"]?.members ?? [] { parameters[own.name] = own.value }
            var found = members.filter { $0.name != "$parameters" }
            let own = Set(found.filter(\.value.isSaid).map(\.name))
            for (name, parameter) in parameters.sorted(by: { $0.key < $1.key })
            where !found.contains(where: { $0.name == name && $0.value.isSaid }) {
                found.removeAll { $0.name == name }
                found.append(JSONMember(name, parameter))
            }
            var result = found.map { member in
                JSONMember(
                    member.name,
                    // What is handed down is as it was said above, and could hold itself.
                    member.name == "schema" || !own.contains(member.name)
                        ? member.value : inherited(member.value, parameters))
            }
            if !parameters.isEmpty {
                let all = parameters.sorted { $0.key < $1.key }
                result.append(
                    JSONMember("$parameters", .object(all.map { JSONMember($0.key, $0.value) })))
            }
            return .object(result)
        default: return value
        }
    }
}

extension JSONValue {
    /// This object with other members in place of its own of the same name.
    fileprivate func overridden(by others: [JSONMember]) -> JSONValue {
        guard case .object(let members) = self, !others.isEmpty else {
            return others.isEmpty ? self : .object(others)
        }
        var result = members
        for other in others {
            if let index = result.firstIndex(where: { $0.name == other.name }) {
                if other.name == "$parameters" {
                    result[index].value = result[index].value.overridden(
                        by: other.value.members ?? [])
                } else {
                    result[index].value = other.value
                }
            } else {
                result.append(other)
            }
        }
        return .object(result)
    }

    /// A part of a manifest with a meaning of its own; schemas and plain maps have none.
    fileprivate var isComponent: Bool {
        self["type"]?.string?.first?.isUppercase ?? false
    }

    /// Something other than an empty text, list or mapping.
    fileprivate var isSaid: Bool {
        switch self {
        case .null, .bool(false), .string(""): false
        case .array(let elements): !elements.isEmpty
        case .object(let members): !members.isEmpty
        default: true
        }
    }

    /// What kind of component it is; without a word, the usual one of its place.
    func type(usually word: String) -> String { self["type"]?.string ?? word }

    /// A text, number or truth as a text.
    var scalarText: String? { string ?? numberText ?? bool.map { "\($0)" } }
}
