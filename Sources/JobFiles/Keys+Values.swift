// Values by the type that the key's declaration gives: ranges, words and defaults stand there.

extension Keys {
    func text(_ key: Known) -> String? { read(key, { $0 }) { reading.text($0) } }

    func name(_ key: Known) -> String? { read(key, { $0 }) { reading.name($0) } }

    func bool(_ key: Known) -> Bool? { read(key, { Bool($0) }) { reading.bool($0) } }

    func duration(_ key: Known) -> Duration? {
        guard case .duration(let range) = key.key.type else { mismatch(key) }
        return read(key, { Duration(jobFile: $0) }) { reading.duration($0, range) }
    }

    func int(_ key: Known) -> Int? {
        guard case .integer(let range, _) = key.key.type else { mismatch(key) }
        return read(key, { Int($0) }) { reading.int($0, range) }
    }

    func double(_ key: Known) -> Double? {
        guard case .number(let range) = key.key.type else { mismatch(key) }
        return read(key, { Double($0) }) { reading.double($0, range) }
    }

    /// One of the declared words.
    func word(_ key: Known) -> String? {
        guard case .word(let words, let noun) = key.key.type else { mismatch(key) }
        return read(key, { $0 }) { reading.choice($0, noun, of: words) }
    }

    /// One of the declared words as a value of the enumeration they come from.
    func word<Word: RawRepresentable<String>>(_ key: Known, as _: Word.Type) -> Word? {
        word(key).flatMap { Word(rawValue: $0) }
    }

    /// The elements of a list, at least one where the declaration says so.
    func elements(_ key: Known) -> [Node]? {
        guard case .list(_, let isFilled) = key.key.type else { mismatch(key) }
        return value(key).flatMap { isFilled ? reading.filledList($0) : reading.list($0) }
    }

    /// The whole numbers of a list.
    func ints(_ key: Known) -> [Int]? {
        guard case .list(.integer(let range, _), _) = key.key.type else { mismatch(key) }
        return elements(key)?.compactMap { reading.int($0, range) }
    }

    /// What stands there, else what is declared to hold without it.
    private func read<Value>(
        _ key: Known, _ parse: (String) -> Value?, _ body: (Node) -> Value?
    ) -> Value? {
        if let value = value(key).flatMap(body) { return value }
        guard case .default(let text) = key.key.need else { return nil }
        return parse(text)
    }

    private func mismatch(_ key: Known) -> Never {
        preconditionFailure("\(Known.title).\(key.rawValue) is declared to be \(key.key.type)")
    }
}

extension NodeReading {
    /// A mapping one of whose keys decides which others it has; nil when something was reported.
    func variant<Known: KeySet>(
        _ node: Node, of _: Known.Type, deciding key: Known
    ) -> (word: String, node: Node, keys: Keys<Known>)? {
        guard let variants = Known.variants, case .word(let words, let noun) = key.key.type,
            let entries = entries(node)
        else { return nil }
        guard let location = node[key.rawValue] else {
            addMissing(key.rawValue, in: entries, besides: Known.names + variants.names, of: node)
            return nil
        }
        guard let word = choice(location, noun, of: words),
            let own = variants.all.first(where: { $0.word == word })
        else { return nil }
        let known = Known.names + (own.kind?.names ?? [])
        let keys = Keys<Known>(
            node, self, known: known, variant: "\(key.rawValue) \"\(word)\"",
            elsewhere: variants.names.filter { !known.contains($0) })
        return keys.map { (word, location, $0) }
    }

    /// Reports the key as missing, or one that was probably meant to be it.
    func addMissing(
        _ key: String, in entries: [Node.Entry], besides known: [String], of node: Node
    ) {
        let misspelt = entries.first { entry in
            !known.contains(entry.key) && nearestWord(to: entry.key, in: [key]) != nil
        }
        guard let misspelt else { return add(node, "missing key \"\(key)\"") }
        add(
            misspelt.position, misspelt.value.path,
            "unknown key \"\(excerpt(of: misspelt.key))\"; did you mean \"\(key)\"?", nearest: key)
    }
}
