import JSON
import JobFiles

// Addresses that one value of the configuration decides, such as a sandbox or a region.
extension StreamContext {
    /// An address of which one value of the configuration decides a part, or all.
    func switched(_ mixed: MixedText) throws(Untranslatable) -> StreamAddress? {
        let isPlain = mixed.parts.allSatisfy { part in
            if case .expression(let expression, _) = part {
                expression.reference != nil
            } else {
                true
            }
        }
        guard !isPlain || cutsLabel(mixed), let (name, input) = try mapping(of: mixed.joined) else {
            return nil
        }
        var found: [(value: String, address: StreamAddress)] = []
        for (value, text) in input.map.sorted(by: { $0.key < $1.key }) {
            guard text.hasPrefix("https://") else { return nil }
            let parts = text.dropFirst("https://".count).split(separator: "/").map(String.init)
            guard let host = parts.first else { return nil }
            found.append(
                (
                    value,
                    StreamAddress(
                        origin: host.lowercased(), hosts: [],
                        segments: parts.dropFirst().map { [.literal($0)] })
                ))
        }
        guard let first = found.first?.address else { return nil }
        var declared = input
        if found.allSatisfy({ $0.address.segments == first.segments }) {
            declared.map = Dictionary(
                uniqueKeysWithValues: found.map { ($0.value, $0.address.origin) })
            try declare(name, declared)
            return StreamAddress(
                origin: "https://{user.\(name)}", hosts: Array(Set(declared.map.values)).sorted(),
                segments: first.segments)
        }
        guard found.allSatisfy({ $0.address.origin == first.origin }) else {
            return try switchedApart(name, declared, found)
        }
        declared.map = Dictionary(
            uniqueKeysWithValues: found.map { entry in
                (
                    entry.value,
                    entry.address.segments.map { Template(pieces: $0).description }.joined(
                        separator: "/")
                )
            })
        guard declared.map.values.allSatisfy({ !$0.isEmpty }) else {
            throw Untranslatable(
                short(mixed.joinedText),
                "a value of the configuration decides whether there is a path")
        }
        try declare(name, declared)
        return StreamAddress(
            origin: "https://" + first.origin, hosts: [], segments: [[.placeholder(.user(name))]])
    }

    /// The host by one attribute and the path by another, which both stand for the same value.
    private func switchedApart(
        _ name: String, _ input: DeclaredInput, _ found: [(value: String, address: StreamAddress)]
    ) throws(Untranslatable) -> StreamAddress {
        let path = shortened(name + "_path")
        var (host, rest) = (input, input)
        host.map = Dictionary(uniqueKeysWithValues: found.map { ($0.value, $0.address.origin) })
        rest.map = Dictionary(
            uniqueKeysWithValues: found.map { entry in
                (
                    entry.value,
                    entry.address.segments.map { Template(pieces: $0).description }.joined(
                        separator: "/")
                )
            })
        guard rest.map.values.allSatisfy({ !$0.isEmpty }) else {
            throw Untranslatable(
                "config \(name)", "a value of the configuration decides whether there is a path")
        }
        try declare(name, host)
        try declare(path, rest)
        note("attributes \(name) and \(path) have the same value")
        return StreamAddress(
            origin: "https://{user.\(name)}", hosts: Array(Set(host.map.values)).sorted(),
            segments: [[.placeholder(.user(path))]])
    }

    /// A value of the configuration is no whole label or segment there.
    private func cutsLabel(_ mixed: MixedText) -> Bool {
        let borders: Set<Character> = [".", "/"]
        return mixed.parts.indices.contains { index in
            guard case .expression = mixed.parts[index] else { return false }
            if index > 0, case .text(let before) = mixed.parts[index - 1], let last = before.last,
                !borders.contains(last)
            {
                return true
            }
            if index + 1 < mixed.parts.count, case .text(let after) = mixed.parts[index + 1],
                let first = after.first, !borders.contains(first)
            {
                return true
            }
            return false
        }
    }
}
