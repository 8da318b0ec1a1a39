import JSON

/// The keys of one mapping as JSON Schema says them.
///
/// What a mapping may hold is apart from what it must hold, because parts of an entity may stand in
/// `defaults`; and what follows from a preset is apart from both.
extension KeySet {
    /// What the mapping may hold.
    static var shape: [JSONMember] { shape(of: Array(allCases)) }

    static func shape(of keys: [Self]) -> [JSONMember] {
        let rules = variantShapes + rules.compactMap { $0.schema(isDemand: false) }
        let members = JSONValue.members(
            ("description", .string(meaning)), ("type", .string("object")),
            (
                "properties",
                .object(keys.map { JSONMember($0.rawValue, $0.key.schema) } + variantProperties)
            ),
            ("additionalProperties", .bool(false)), ("allOf", .filled(rules)))
        return members.members ?? []
    }

    /// What it must hold, whether there is a preset or not; none: nothing.
    static var demands: [JSONValue] {
        let required = allCases.filter { key in
            if case .required = key.key.need, case .anywhere = key.key.context {
                true
            } else {
                false
            }
        }
        var all: [JSONValue] = []
        if !required.isEmpty {
            all.append(.members(("required", .texts(required.map(\.rawValue)))))
        }
        if !alternatives.isEmpty {
            let each = alternatives.map { key in
                JSONValue.members(("required", .texts([key.rawValue])))
            }
            all.append(.members(("oneOf", .array(each))))
        }
        all += rules.compactMap { $0.schema(isDemand: true) }
        for variant in variants?.all ?? [] {
            guard let own = variant.keys, !own.demands.isEmpty else { continue }
            all.append(variants.condition(variant.word, .members(("allOf", .array(own.demands)))))
        }
        return all
    }

    /// What a preset, or having none, asks besides; nil means nothing.
    static func overlay(isPreset: Bool) -> JSONValue? {
        var properties: [JSONMember] = []
        var required: [String] = []
        for each in allCases {
            let key = each.key
            if !key.context.fits(isPreset: isPreset) {
                properties.append(JSONMember(each.rawValue, .bool(false)))
                continue
            }
            switch (key.need, key.context) {
            case (.required, .withPreset), (.required, .withoutPreset):
                required.append(each.rawValue)
            case (.requiredWithoutPreset, _): if !isPreset { required.append(each.rawValue) }
            default: break
            }
            if let narrowed = key.overlay(isPreset: isPreset) {
                properties.append(JSONMember(each.rawValue, narrowed))
            }
        }
        if let variants {
            let words = variants.all.filter { $0.context.fits(isPreset: isPreset) }.map(\.word)
            if words.count < variants.all.count {
                properties.append(JSONMember(variants.key, .members(("enum", .texts(words)))))
            }
        }
        let own = (variants?.all ?? []).compactMap { variant in
            variant.keys?.overlay(isPreset: isPreset)
                .map { variants.condition(variant.word, $0) }
        }
        guard !properties.isEmpty || !required.isEmpty || !own.isEmpty else { return nil }
        return .members(
            ("properties", properties.isEmpty ? nil : .object(properties)),
            ("required", required.isEmpty ? nil : .texts(required)), ("allOf", .filled(own)))
    }

    /// The keys of all variants; one that several have in their own ways is any of these.
    private static var variantProperties: [JSONMember] {
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
    private static var variantShapes: [JSONValue] {
        guard let variants else { return [] }
        return variants.all.map { variant in
            let own = variant.keys?.names ?? []
            let foreign = variants.names.filter { !own.contains($0) }
                .map { JSONMember($0, .bool(false)) }
            let narrowed = own.compactMap { name -> JSONMember? in
                guard variants.declarations(of: name).count > 1,
                    let key = variant.keys?.declaration(of: name), key.presetType == nil
                else { return nil }
                return JSONMember(name, .object(key.type.schema))
            }
            let rules = (variant.keys?.ownRules ?? []).compactMap { $0.schema(isDemand: false) }
            return variants.condition(
                variant.word,
                .members(
                    ("properties", .object(foreign + narrowed)), ("allOf", .filled(rules))))
        }
    }

    static func declaration(of name: String) -> Key? { Self(rawValue: name)?.key }

    private static var ownRules: [KeyRule] { rules }
}

extension Key {
    fileprivate func overlay(isPreset: Bool) -> JSONValue? {
        if let presetType { return .object((isPreset ? presetType : type).schema) }
        return type.overlay(isPreset: isPreset)
    }
}

extension ValueType {
    fileprivate func overlay(isPreset: Bool) -> JSONValue? {
        switch self {
        case .mapping(let keys): keys.overlay(isPreset: isPreset)
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
    fileprivate func declarations(of name: String) -> [Key] {
        all.compactMap { $0.keys?.declaration(of: name) }
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
