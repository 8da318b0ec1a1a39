import JSON

/// The keys of one mapping as JSON Schema says them.
///
/// What a mapping may hold is apart from what it must hold, because parts of an entity may stand in
/// `defaults`; and what follows from a preset is apart from both.
extension MappingKind {
    /// What the mapping may hold.
    var shape: [JSONMember] { shape(of: names) }

    func shape(of names: [String]) -> [JSONMember] {
        let rules = variantShapes + rules.compactMap { $0.schema(isDemand: false) }
        let members = JSONValue.members(
            ("description", .string(meaning)), ("type", .string("object")),
            (
                "properties",
                .object(
                    keys.filter { names.contains($0.name) }
                        .map { JSONMember($0.name, $0.facts.schema) } + variantProperties)
            ),
            ("additionalProperties", .bool(false)), ("allOf", .filled(rules)))
        return members.members ?? []
    }

    /// What it must hold, whether there is a preset or not; none: nothing.
    var demands: [JSONValue] {
        let required = keys.filter { _, facts in
            if case .required = facts.need, case .anywhere = facts.context { true } else { false }
        }
        var all: [JSONValue] = []
        if !required.isEmpty {
            all.append(.members(("required", .texts(required.map(\.name)))))
        }
        if !alternatives.isEmpty {
            let each = alternatives.map { key in
                JSONValue.members(("required", .texts([key])))
            }
            all.append(.members(("oneOf", .array(each))))
        }
        all += rules.compactMap { $0.schema(isDemand: true) }
        for variant in variants?.all ?? [] {
            guard let own = variant.kind, !own.demands.isEmpty else { continue }
            all.append(variants.condition(variant.word, .members(("allOf", .array(own.demands)))))
        }
        return all
    }

    /// What a preset, or having none, asks besides; nil means nothing.
    func overlay(isPreset: Bool) -> JSONValue? {
        var properties: [JSONMember] = []
        var required: [String] = []
        for (name, key) in keys {
            if !key.context.fits(isPreset: isPreset) {
                properties.append(JSONMember(name, .bool(false)))
                continue
            }
            switch (key.need, key.context) {
            case (.required, .withPreset), (.required, .withoutPreset):
                required.append(name)
            case (.requiredWithoutPreset, _): if !isPreset { required.append(name) }
            case (.requiredWithPreset, _): if isPreset { required.append(name) }
            default: break
            }
            if let narrowed = key.overlay(isPreset: isPreset) {
                properties.append(JSONMember(name, narrowed))
            }
        }
        if let variants {
            let words = variants.all.filter { $0.context.fits(isPreset: isPreset) }.map(\.word)
            if words.count < variants.all.count {
                properties.append(JSONMember(variants.key, .members(("enum", .texts(words)))))
            }
        }
        let own = (variants?.all ?? []).compactMap { variant in
            variant.kind?.overlay(isPreset: isPreset)
                .map { variants.condition(variant.word, $0) }
        }
        guard !properties.isEmpty || !required.isEmpty || !own.isEmpty else { return nil }
        return .members(
            ("properties", properties.isEmpty ? nil : .object(properties)),
            ("required", required.isEmpty ? nil : .texts(required)), ("allOf", .filled(own)))
    }

    /// The keys of all variants; one that several have in their own ways is any of these.
    private var variantProperties: [JSONMember] {
        guard let variants else { return [] }
        return variants.names.map { name in
            let keys = variants.declarations(of: name)
            var types: [JSONValue] = []
            for type in keys.flatMap({ [$0.type, $0.presetType].compactMap(\.self) })
            where !types.contains(.object(type.schema)) {
                types.append(.object(type.schema))
            }
            guard keys.count > 1, types.count > 1, let first = keys.first else {
                return JSONMember(name, keys.first?.schema ?? .bool(true))
            }
            return JSONMember(
                name,
                .members(
                    ("description", .string(first.meaning)), ("anyOf", .array(types))))
        }
    }

    /// Which of those keys a variant has, and what they are in it.
    private var variantShapes: [JSONValue] {
        guard let variants else { return [] }
        return variants.all.map { variant in
            let own = variant.kind?.names ?? []
            let foreign = variants.names.filter { !own.contains($0) }
                .map { JSONMember($0, .bool(false)) }
            let narrowed = own.compactMap { name -> JSONMember? in
                guard variants.declarations(of: name).count > 1,
                    let key = variant.kind?.facts(of: name), key.presetType == nil
                else { return nil }
                return JSONMember(name, .object(key.type.schema))
            }
            let rules = (variant.kind?.rules ?? []).compactMap { $0.schema(isDemand: false) }
            return variants.condition(
                variant.word,
                .members(
                    ("properties", .object(foreign + narrowed)), ("allOf", .filled(rules))))
        }
    }

}

extension KeyFacts {
    fileprivate func overlay(isPreset: Bool) -> JSONValue? {
        if let presetType { return .object((isPreset ? presetType : type).schema) }
        return type.overlay(isPreset: isPreset)
    }
}

extension ValueType {
    fileprivate func overlay(isPreset: Bool) -> JSONValue? {
        switch self {
        case .keys(let kind): kind().overlay(isPreset: isPreset)
        case .named(let element, _, _, _):
            element.overlay(isPreset: isPreset).map { .members(("additionalProperties", $0)) }
        case .list(let element, _):
            element.overlay(isPreset: isPreset).map { .members(("items", $0)) }
        default: nil
        }
    }
}

extension Variants {
    /// Every variant's declaration of a key.
    fileprivate func declarations(of name: String) -> [KeyFacts] {
        all.compactMap { $0.kind?.facts(of: name) }
    }
}

extension Variants? {
    /// What holds for one word.
    fileprivate func condition(_ word: String, _ then: JSONValue) -> JSONValue {
        KeyRule.condition(.has(self?.key ?? "", [word]), then)
    }
}

extension Variants {
    fileprivate func condition(_ word: String, _ then: JSONValue) -> JSONValue {
        KeyRule.condition(.has(key, [word]), then)
    }
}
