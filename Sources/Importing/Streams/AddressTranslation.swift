import JSON
import JobFiles

/// Where a stream's requests go, cut into what a job file's `base` and `path` are made of.
struct StreamAddress: Equatable {
    typealias Segment = [Template.Piece]
    /// `https://api.example.com`, with placeholders.
    var origin: String
    /// The hosts that the placeholders may choose.
    var hosts: [String]
    /// What follows, between slashes.
    var segments: [Segment]
    var endsWithSlash = false
    var query: [(name: String, value: Template)] = []

    static func == (left: StreamAddress, right: StreamAddress) -> Bool {
        left.origin == right.origin && left.hosts == right.hosts && left.segments == right.segments
    }
}

extension StreamContext {
    /// The address of `url_base` and `path`, or of `url`, together.
    func address(_ requester: JSONValue) throws(Untranslatable) -> StreamAddress {
        let base = (requester["url"] ?? requester["url_base"])?.string ?? ""
        let path = requester["path"]?.scalarText ?? ""
        let isWhole = path.hasPrefix("http://") || path.hasPrefix("https://")
        var address = try parsed(isWhole ? path : base)
        guard !isWhole, !path.trimmingSpace.isEmpty else { return address }
        let pieces = try template(try substituted(path), mayHoldSecrets: true).pieces
        append(pieces, to: &address)
        return address
    }

    /// Everything behind the host.
    private func append(_ pieces: [Template.Piece], to address: inout StreamAddress) {
        var text = pieces
        if let cut = pieces.firstIndex(where: {
            if case .literal(let text) = $0 { text.contains("?") } else { false }
        }),
            case .literal(let mixed) = pieces[cut]
        {
            let parts = mixed.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            text = Array(pieces[..<cut]) + [.literal(String(parts[0]))]
            address.query += queryEntries([.literal(String(parts[1]))] + pieces[(cut + 1)...])
        }
        let segments = cut(text.joined, at: "/")
        address.endsWithSlash = (segments.last?.isEmpty ?? false) && segments.count > 1
        address.segments += segments.filter { !$0.isEmpty }
    }

    private func queryEntries(_ pieces: [Template.Piece]) -> [(name: String, value: Template)] {
        cut(pieces.joined, at: "&").compactMap { entry in
            guard case .literal(let first)? = entry.first else { return nil }
            let parts = first.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = [.literal(parts.count > 1 ? String(parts[1]) : "")] + entry.dropFirst()
            return (String(parts[0]), Template(pieces: value.joined))
        }
    }

    private func cut(_ pieces: [Template.Piece], at mark: Character) -> [StreamAddress.Segment] {
        var segments: [StreamAddress.Segment] = [[]]
        for piece in pieces {
            guard case .literal(let text) = piece else {
                segments[segments.count - 1].append(piece)
                continue
            }
            for (index, part) in text.split(separator: mark, omittingEmptySubsequences: false)
                .enumerated()
            {
                if index > 0 { segments.append([]) }
                if !part.isEmpty { segments[segments.count - 1].append(.literal(String(part))) }
            }
        }
        return segments
    }

    private func parsed(_ text: String) throws(Untranslatable) -> StreamAddress {
        let mixed = try substituted(text)
        if let whole = try switched(mixed) { return whole }
        let pieces = try addressPieces(mixed)
        var rest = pieces
        var scheme = "https://"
        if case .literal(let first)? = rest.first,
            let found = ["https://", "http://"].first(where: first.hasPrefix)
        {
            scheme = found
            rest[0] = .literal(String(first.dropFirst(found.count)))
        } else if case .placeholder(.user(let name))? = rest.first {
            note("attribute \(name) is the host alone, without https:// and what follows it")
        } else {
            throw Untranslatable(
                text,
                "an address that begins with neither https:// nor a value of the configuration")
        }
        rest = rest.joined
        let parts = cut(rest, at: "/")
        var address = try host(parts.first ?? [], scheme, text)
        address.segments = parts.dropFirst().filter { !$0.isEmpty }
        return address
    }

    /// What a base may hold: whole values of the configuration, that are declared.
    private func addressPieces(_ mixed: MixedText) throws(Untranslatable) -> [Template.Piece] {
        let template = try template(mixed)
        for placeholder in template.placeholders {
            guard case .user(let name) = placeholder else {
                throw Untranslatable(
                    "\(placeholder)", "only a value of the configuration may stand in an address")
            }
            var input = inputs[name] ?? DeclaredInput()
            input.isNeeded = true
            if let standard = input.standard { input.standard = withoutScheme(standard) }
            input.choices = input.choices.map(withoutScheme)
            if input.type == "int" { input.type = "text" }
            inputs[name] = input
        }
        return template.pieces
    }

    private func withoutScheme(_ text: String) -> String {
        var text = text
        for scheme in ["https://", "http://"] where text.hasPrefix(scheme) {
            text = String(text.dropFirst(scheme.count))
        }
        while text.hasSuffix("/") { text.removeLast() }
        return text
    }

    private func host(
        _ pieces: StreamAddress.Segment, _ scheme: String, _ text: String
    ) throws(Untranslatable) -> StreamAddress {
        let template = Template(pieces: pieces.joined)
        guard !template.pieces.isEmpty else {
            throw Untranslatable(text, "an address without a host")
        }
        let names = template.placeholders.compactMap { placeholder -> String? in
            if case .user(let name) = placeholder { name } else { nil }
        }
        guard let name = names.first else {
            return StreamAddress(
                origin: scheme + template.description.lowercased(), hosts: [], segments: [])
        }
        let labels = cut(template.pieces, at: ".")
        if labels.contains(where: { $0.count > 1 }) {
            throw Untranslatable(
                text, "a value of the configuration is a part of a label of the host",
                nearest: "let the attribute hold the whole label")
        }
        guard scheme == "https://" else {
            throw Untranslatable(text, "http to a host that a user chooses", nearest: "use https")
        }
        var hosts: [String] = []
        let choices = inputs[name]?.choices ?? []
        if names.count == 1, !choices.isEmpty, choices.allSatisfy(isHostText) {
            hosts = choices.map { choice in
                template.pieces.map { if case .literal(let text) = $0 { text } else { choice } }
                    .joined().lowercased()
            }
        } else {
            let last =
                labels.lastIndex { if case .placeholder? = $0.first { true } else { false } } ?? 0
            let tail = labels[(last + 1)...].compactMap { label -> String? in
                if case .literal(let text)? = label.first { text } else { nil }
            }
            hosts = [tail.isEmpty ? "*" : "*." + tail.joined(separator: ".").lowercased()]
        }
        return StreamAddress(origin: scheme + template.description, hosts: hosts, segments: [])
    }

    private func isHostText(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 < 0x80 }
            && text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "." }
    }

    /// An address of which one value of the configuration decides a part, or all.
    private func switched(_ mixed: MixedText) throws(Untranslatable) -> StreamAddress? {
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
            throw Untranslatable(
                short(mixed.joinedText),
                "a value of the configuration decides host and path at once")
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

    /// The text with what `parameters` stand for.
    func substituted(_ text: String) throws(Untranslatable) -> MixedText {
        var mixed = try MixedText(text.trimmingSpace)
        var parts: [MixedText.Part] = []
        for part in mixed.parts {
            if case .expression(let expression, _) = part, let place = expression.reference,
                place.root == "parameters" || place.root == "options"
            {
                guard let text = parameterText(place) else {
                    throw Untranslatable(short(text), "a parameter that is not there")
                }
                parts += try MixedText(text).parts
            } else {
                parts.append(part)
            }
        }
        mixed.parts = parts
        return mixed
    }

    /// What a parameter says, or the one that stands in for it.
    func parameterText(_ place: Reference) -> String? {
        if let value = parameters[path: place.path] { return value.scalarText }
        if let other = place.fallback?.reference, other.root == place.root {
            return parameterText(other)
        }
        return place.fallback?.literalText
    }
}

extension MixedText {
    /// As it was written, about.
    var joinedText: String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .expression(_, let written): "{{ \(written) }}"
            }
        }.joined()
    }
}

extension JSONValue {
    subscript(path path: [String]) -> JSONValue? {
        path.reduce(self as JSONValue?) { $0?[$1] }
    }
}
