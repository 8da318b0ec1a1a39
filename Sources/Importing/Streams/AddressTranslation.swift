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

    init(
        origin: String, hosts: [String], segments: [Segment], endsWithSlash: Bool = false,
        query: [(name: String, value: Template)] = []
    ) {
        self.origin = origin
        self.hosts = hosts
        self.segments = segments
        self.endsWithSlash = endsWithSlash
        self.query = query
    }

    /// An address that has been translated already.
    init(_ address: Template) {
        let parts = address.description.split(separator: "/", omittingEmptySubsequences: true)
        origin = "\(parts.first ?? "")//\(parts.dropFirst().first ?? "")"
        hosts = []
        segments = parts.dropFirst(2).map { part in
            (try? Template(parsing: String(part)))?.pieces ?? [.literal(String(part))]
        }
        endsWithSlash = address.description.hasSuffix("/")
    }

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
        let mixed = try substituted(path)
        if let (plain, name, value) = mixed.alone?.optionalParameter {
            append(try self.pieces(of: plain, path), to: &address)
            let value = Template(pieces: try self.pieces(of: value, path))
            if value.secretNames.isEmpty, case .user(let attribute)? = value.lonePlaceholder {
                // Without the attribute the parameter is left out.
                inputs[attribute]?.isNeeded = false
            }
            address.query.append((name, value))
            return address
        }
        append(try template(mixed, mayHoldSecrets: true).pieces, to: &address)
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
            note("attribute \(name) is written without https://")
        } else {
            throw Untranslatable(
                text,
                "an address that begins with neither https:// nor a value of the configuration")
        }
        rest = rest.joined
        let parts = cut(rest, at: "/")
        let ending = pathOfChoices(parts.first ?? [])
        var address = try host(parts.first ?? [], scheme, text)
        address.segments = ending + parts.dropFirst().filter { !$0.isEmpty }
        return address
    }

    /// What a base may hold: whole values of the configuration, that are declared.
    private func addressPieces(_ mixed: MixedText) throws(Untranslatable) -> [Template.Piece] {
        let template = try template(mixed, mayHoldSecrets: true)
        for placeholder in template.placeholders {
            // What stands behind the host may be of each request, which the path tells then.
            guard case .user(let name) = placeholder else { continue }
            var input = inputs[name] ?? DeclaredInput()
            input.isNeeded = true
            if let standard = input.standard { input.standard = withoutScheme(standard) }
            input.choices = input.choices.map(withoutScheme)
            if input.type == "int" { input.type = "text" }
            inputs[name] = input
        }
        return template.pieces
    }

    /// The path of an attribute that is a whole address, and then stands for its host alone.
    private func pathOfChoices(_ host: StreamAddress.Segment) -> [StreamAddress.Segment] {
        guard host.count == 1, case .placeholder(.user(let name)) = host[0],
            let input = inputs[name], input.map.isEmpty
        else { return [] }
        guard !input.choices.isEmpty else { return pathOfStandard(name, input) }
        let parts = input.choices.map { $0.split(separator: "/").map(String.init) }
        guard let path = parts.first?.dropFirst(), !path.isEmpty,
            parts.allSatisfy({ $0.dropFirst() == path })
        else { return [] }
        var changed = input
        changed.map = Dictionary(
            zip(input.choices, parts.map { $0[0] }), uniquingKeysWith: { first, _ in first })
        changed.choices = []
        inputs[name] = changed
        return path.map { [.literal($0)] }
    }

    /// The path of a whole address that a user may choose is an attribute of its own, as long as the one that stands in
    /// for it has a path.
    private func pathOfStandard(_ name: String, _ input: DeclaredInput) -> [StreamAddress.Segment] {
        guard let parts = input.standard?.split(separator: "/", maxSplits: 1).map(String.init),
            parts.count == 2, !parts[1].contains("?")
        else { return [] }
        let path = shortened(name + "_path")
        inputs[name]?.standard = parts[0]
        inputs[path] = DeclaredInput(standard: parts[1], isNeeded: true)
        note("attributes \(name) and \(path) are the host and the path of an address")
        return [[.placeholder(.user(path))]]
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
        for placeholder in template.placeholders {
            if case .user = placeholder { continue }
            throw Untranslatable(
                "\(placeholder)", "only a value of the configuration may stand in a host")
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
        let choices =
            inputs[name].map { Array($0.map.values) }.flatMap { $0.isEmpty ? nil : $0.sorted() }
            ?? possibleHosts(of: name, in: template)
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

    /// The values of an attribute that make a host; of another one nothing can be asked.
    private func possibleHosts(of name: String, in template: Template) -> [String] {
        let all = inputs[name]?.choices ?? []
        let possible = all.filter { choice in
            let host = template.pieces.map {
                if case .literal(let text) = $0 { text } else { choice }
            }.joined()
            return !host.contains("..") && !host.hasPrefix(".") && !host.hasSuffix(".")
        }
        guard possible.count < all.count, !possible.isEmpty else { return all }
        let others = all.filter { !possible.contains($0) }.joined(separator: ", ")
        note("attribute \(name) has a value that makes no host, and is left out: \(others)")
        inputs[name]?.choices = possible
        return possible
    }

    private func isHostText(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 < 0x80 }
            && text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "." }
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
            } else if case .expression(let expression, let written) = part {
                parts.append(.expression(expression.knowing(parameters), written))
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

extension Expression {
    /// `'boards?account=' + config.account if config.account else 'boards'`: a path with a parameter that may be missing.
    fileprivate var optionalParameter: (path: Expression, name: String, value: Expression)? {
        guard case .choice(let whole, let condition, let other) = self else { return nil }
        var chain = whole.chain
        guard let value = chain.popLast(), let place = value.reference, place.root == "config",
            place.fallback == nil, condition.reference == place,
            let text = chain.popLast()?.literal?.string
        else { return nil }
        let parts = text.split(separator: "?", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].hasSuffix("="),
            !parts[1].dropLast().contains(where: { "=&".contains($0) })
        else { return nil }
        if !parts[0].isEmpty { chain.append(.literal(.string(String(parts[0])))) }
        return chain == other.chain ? (other, String(parts[1].dropLast()), value) : nil
    }

    /// What is put together, from left to right.
    private var chain: [Expression] {
        if case .binary("+", let left, let right) = self { return left.chain + right.chain }
        return [self]
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
