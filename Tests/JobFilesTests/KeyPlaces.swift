import JSON
import TestJobFiles

@testable import JobFiles

/// A place of a good file where a key stands, or could.
struct KeyPlace: Sendable {
    /// The kind of mapping, where its word decides also that, and the key.
    let label: String
    let key: String
    /// What its value must be there: by its declaration, and by what other keys of the mapping say.
    let types: [ValueType]
    /// Tells the place from those where the key must be something else.
    let sort: String
    /// The mapping says nothing without it there.
    let isNeeded: Bool
    let file: ExpandedFile
    /// From the file to the mapping.
    let steps: [Step]
    let members: [JSONMember]

    /// How a mistake names the mapping.
    var mapping: String { steps.text }
    /// How a mistake names the key.
    var path: String { (steps + [.member(key)]).text }
    var value: JSONValue? { members.first { $0.name == key }?.value }
}

/// A good file with all that it leaves to defaults.
struct ExpandedFile: Sendable {
    let name: String
    let value: JSONValue
    let size: Int
}

/// One step into JSON.
enum Step: Sendable, Hashable {
    case member(String)
    case element(Int)
}

extension [Step] {
    /// How a mistake names the way: `entities[0].page`.
    var text: String {
        reduce("") { text, step in
            switch step {
            case .member(let name): text.isEmpty ? name : "\(text).\(name)"
            case .element(let index): "\(text)[\(index)]"
            }
        }
    }
}

extension KeyPlace {
    /// Every place of the files where a key stands, those of small files first.
    static func all(in files: [GoodFile]) -> [KeyPlace] {
        let expanded = files.map { file in
            let value = file.job.expandedValue
            return ExpandedFile(name: file.name, value: value, size: value.text.utf8.count)
        }
        return expanded.sorted { $0.size < $1.size }.flatMap { file in
            var walk = Walk(file: file)
            walk.visit(file.value, Grammar.kinds[0], [], isPreset: false)
            return walk.found
        }
    }

    /// The place in a whole file of a key that it lacks.
    func beside(_ label: String) -> KeyPlace? {
        let file = Grammar.kinds[0]
        let key = file.keys.first { "\(file.title): \($0.name)" == label }
        return key.map { name, facts in
            KeyPlace(
                label: label, key: name, types: [facts.type], sort: label, isNeeded: false,
                file: self.file, steps: [], members: self.file.value.members ?? [])
        }
    }

    /// The labels of every key of every kind of mapping.
    static var declared: [String] {
        Grammar.kinds.flatMap { kind in
            let own = kind.variants?.all ?? []
            return kind.keys.flatMap { $0.facts.labels("\(kind.title): \($0.name)") }
                + own.flatMap { variant in
                    (variant.kind?.keys ?? []).flatMap {
                        $0.facts.labels("\(kind.title) \(variant.word): \($0.name)")
                    }
                }
        }
    }
}

/// Goes through a file beside the kinds of its mappings.
private struct Walk {
    let file: ExpandedFile
    var found: [KeyPlace] = []

    mutating func visit(_ value: JSONValue, _ kind: MappingKind, _ steps: [Step], isPreset: Bool) {
        let members = value.members ?? []
        var isPreset = isPreset
        if kind.title == "file" { isPreset = value.at(["source", "preset"]) != nil }
        if kind.title == "entity" { isPreset = value.at(["cloudkit"]) != nil }
        let variant = kind.variants.flatMap { variants in
            variants.all.first { $0.word == value.at([variants.key])?.string }
        }
        let own = (variant?.kind?.keys ?? []).map { ("\(kind.title) \(variant?.word ?? ""): ", $0) }
        let keys = kind.keys.map { ("\(kind.title): ", $0) } + own
        let rules = kind.rules + (variant?.kind?.rules ?? [])
        let alternatives = kind.alternatives + (variant?.kind?.alternatives ?? [])
        for member in members {
            // A file that is written says nothing that is not declared.
            let (title, key) =
                keys.first { $0.1.name == member.name }
                ?? ("undeclared ", (member.name, KeyFacts(.any(""), .optional(nil), "")))
            let type = key.facts.type(isPreset: isPreset)
            let narrowed = rules.narrowings(of: key.name, members)
            let labels = key.facts.labels(title + key.name)
            let label = isPreset ? labels.last : labels.first
            found.append(
                KeyPlace(
                    label: label ?? "", key: key.name, types: [type] + narrowed.map(\.1),
                    sort: "\(label ?? "") \(narrowed.map(\.0))",
                    isNeeded: key.facts.isNeeded(isPreset: isPreset)
                        || alternatives.contains(key.name),
                    file: file, steps: steps, members: members))
            visit(member.value, type, steps + [.member(key.name)], isPreset: isPreset)
        }
    }

    private mutating func visit(
        _ value: JSONValue, _ type: ValueType, _ steps: [Step], isPreset: Bool
    ) {
        switch (type, value) {
        case (.keys(let kind), .object): visit(value, kind(), steps, isPreset: isPreset)
        case (.list(let type, _), .array(let elements)),
            (.oneOrMore(let type), .array(let elements)):
            for (index, element) in elements.enumerated() {
                visit(element, type, steps + [.element(index)], isPreset: isPreset)
            }
        case (.oneOrMore(let type), _): visit(value, type, steps, isPreset: isPreset)
        case (.named(let type, _, _, _), .object(let members)):
            for member in members {
                visit(member.value, type, steps + [.member(member.name)], isPreset: isPreset)
            }
        case (.anyOf(let types), _):
            for type in types { visit(value, type, steps, isPreset: isPreset) }
        default: break
        }
    }
}

extension KeyFacts {
    /// What is another key with a preset has two.
    fileprivate func labels(_ name: String) -> [String] {
        presetType == nil ? [name] : [name, name + " with preset"]
    }

    fileprivate func type(isPreset: Bool) -> ValueType { isPreset ? presetType ?? type : type }

    fileprivate func isNeeded(isPreset: Bool) -> Bool {
        switch need {
        case .required: context.fits(isPreset: isPreset)
        case .requiredWithoutPreset: !isPreset
        case .requiredWithPreset: isPreset
        case .optional, .default: false
        }
    }
}

extension [KeyRule] {
    /// What the other keys of a mapping make of one's type, each with the number of its rule.
    fileprivate func narrowings(of key: String, _ members: [JSONMember]) -> [(Int, ValueType)] {
        enumerated().flatMap { index, rule -> [(Int, ValueType)] in
            guard case .when(let test, let effects) = rule, test.holds(in: members) else {
                return []
            }
            return effects.compactMap { effect in
                guard case .narrows(key, let type) = effect else { return nil }
                return (index, type)
            }
        }
    }
}

extension KeyRule.Test {
    fileprivate func holds(in members: [JSONMember]) -> Bool {
        switch self {
        case .isThere(let key): members.contains { $0.name == key }
        case .has(let key, let words):
            members.contains { $0.name == key && words.contains($0.value.scalar ?? "") }
        case .not(let test): !test.holds(in: members)
        case .all(let tests): tests.allSatisfy { $0.holds(in: members) }
        }
    }
}

extension JSONValue {
    /// What YAML reads of a scalar.
    var scalar: String? {
        switch self {
        case .array, .object: nil
        default: string ?? text
        }
    }

    fileprivate func at(_ path: [String]) -> JSONValue? {
        path.reduce(self) { value, name in
            value?.members?.first { $0.name == name }?.value
        }
    }

    /// The value with another one in it; a member that is not there is added.
    func with(_ value: JSONValue, at steps: ArraySlice<Step>) -> JSONValue {
        switch (steps.first, self) {
        case (.member(let name), .object(var members)):
            if let index = members.firstIndex(where: { $0.name == name }) {
                members[index].value = members[index].value.with(value, at: steps.dropFirst())
            } else {
                members.append(JSONMember(name, value))
            }
            return .object(members)
        case (.element(let index), .array(var elements)):
            elements[index] = elements[index].with(value, at: steps.dropFirst())
            return .array(elements)
        default: return value
        }
    }
}
