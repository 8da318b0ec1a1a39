import JSON

extension Grammar {
    /// The manual with its lists of keys made anew.
    ///
    /// They stand between `<!-- keys: KIND -->` and `<!-- end -->`; of a kind that nobody knows the
    /// mark stays alone, so that whoever compares the page sees it.
    public static func manual(_ page: String) -> String {
        var result: [Substring] = []
        var isInside = false
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if line == "<!-- end -->" { isInside = false }
            if !isInside { result.append(line) }
            guard line.hasPrefix("<!-- keys: "), line.hasSuffix(" -->") else { continue }
            isInside = true
            let title = line.dropFirst("<!-- keys: ".count).dropLast(" -->".count)
            if let keys = kinds.first(where: { $0.title == title }) {
                result += keys.manualLines.map { $0[...] }
            }
        }
        return result.joined(separator: "\n")
    }

    /// The kinds of mapping that the manual must describe, by the words of their marks.
    public static var titles: [String] { kinds.map { $0.title } }
}

extension MappingKind {
    /// A list of the keys, those of variants below their words.
    fileprivate var manualLines: [String] {
        let common = items(indent: 0)
        guard let variants else { return common }
        return common
            + variants.all.flatMap { variant in
                wrappedLines("- `\(variants.key): \(variant.word)`. \(variant.meaning)", indent: 0)
                    + (variant.kind?.items(indent: 2) ?? [])
            }
    }

    private func items(indent: Int) -> [String] {
        // Within an entity it is the operation that counts, for its source may have a preset without.
        let preset = ["source", "auth", "entity"].contains(title) ? "a preset" : "`cloudkit`"
        return keys.flatMap { $0.facts.item($0.name, indent: indent, preset: preset) }
    }
}

extension KeyFacts {
    fileprivate func item(_ name: String, indent: Int, preset: String) -> [String] {
        let facts = [type.words, need.words(preset), context.words(preset)].compactMap(\.self)
            .joined(
                separator: "; ")
        let news = since == "0.1" ? "" : " Since \(since)."
        return wrappedLines("- `\(name)`: \(facts). \(meaning)\(news)", indent: indent)
    }
}

extension KeyFacts.Need {
    fileprivate func words(_ preset: String) -> String? {
        switch self {
        case .required: "required"
        case .requiredWithoutPreset: "required without \(preset)"
        case .requiredWithPreset(let words): "default: \(words)"
        case .optional(let words): words.map { $0.hasPrefix("required") ? $0 : "default: \($0)" }
        case .default(let text): "default: `\(text)`"
        }
    }
}

extension KeyFacts.Context {
    fileprivate func words(_ preset: String) -> String? {
        switch self {
        case .anywhere: nil
        case .withPreset: "only with \(preset)"
        case .withoutPreset: "only without \(preset)"
        }
    }
}

extension ValueType {
    fileprivate var words: String {
        switch self {
        case .text: "text"
        case .formed(let form): form.words
        case .template: "template"
        case .boolean: "`true` or `false`"
        case .duration(let range):
            range.lowerBound == .zero
                ? "duration, up to \(range.upperBound.jobFileText)"
                : "duration, \(range.lowerBound.jobFileText) to \(range.upperBound.jobFileText)"
        case .integer(let range, _):
            range.lowerBound == range.upperBound
                ? "`\(range.lowerBound)`"
                : range.upperBound == .max
                    ? "whole number, \(range.lowerBound) or more"
                    : "whole number, \(range.lowerBound) to \(range.upperBound)"
        case .number(let range):
            range.lowerBound.isFinite
                ? "number, \(JSONValue.double(range.lowerBound).text) to "
                    + JSONValue.double(range.upperBound).text
                : "number"
        case .word(let words, _): words.map { "`\($0)`" }.joined(separator: ", ")
        case .any(let words): words
        case .anyOf(let types):
            types.map(\.words).reduce("") { all, words in
                all.isEmpty ? words : all.contains(words) ? all : "\(all), or \(words)"
            }
        case .list(let element, let isFilled):
            (isFilled ? "list, not empty, of" : "list of") + element.pluralWords
        case .pair(let first, let second): "list of two: \(first.words), \(second.words)"
        case .oneOrMore(let element): "one or a list of" + element.pluralWords
        case .named(let element, .notEmpty, _, _): "mapping of names to" + element.pluralWords
        case .named(let element, .ownHeaderName, _, _):
            "mapping of names of header fields to" + element.pluralWords
        case .named(let element, let form, _, _):
            "mapping of \(form.words)s to" + element.pluralWords
        case .keys: "mapping"
        }
    }
}

extension ValueType {
    fileprivate var pluralWords: String {
        switch self {
        case .keys: " mappings"
        case .formed(.name): " names"
        case .template: " templates"
        case .text: " texts"
        default: ": \(words)"
        }
    }
}

/// A text in lines of at most 120 columns, which hang below the mark of the list.
private func wrappedLines(_ text: String, indent: Int) -> [String] {
    var lines: [String] = []
    var line = String(repeating: " ", count: indent)
    for word in text.split(separator: " ") {
        let isFirst = line.allSatisfy { $0 == " " }
        if !isFirst, line.count + 1 + word.count > 120 {
            lines.append(line)
            line = String(repeating: " ", count: indent + 2) + word
        } else {
            line += (isFirst ? "" : " ") + word
        }
    }
    return lines + [line]
}
