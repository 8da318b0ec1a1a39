/// A word of an expression.
enum Token: Equatable {
    case name(String)
    case number(String)
    case text(String)
    case mark(String)
}

/// Cuts an expression into words; nil at something that no word begins with.
func tokens(of text: some StringProtocol) -> [Token]? {
    var found: [Token] = []
    let scalars = Array(text.unicodeScalars)
    var index = 0
    func run(_ isPart: (Unicode.Scalar) -> Bool) -> String {
        var word = String.UnicodeScalarView()
        while index < scalars.count, isPart(scalars[index]) {
            word.append(scalars[index])
            index += 1
        }
        return String(word)
    }
    while index < scalars.count {
        let scalar = scalars[index]
        if scalar.properties.isWhitespace {
            index += 1
        } else if scalar == "_" || scalar.properties.isAlphabetic {
            found.append(
                .name(run { $0 == "_" || $0.properties.isAlphabetic || ("0"..."9").contains($0) }))
        } else if ("0"..."9").contains(scalar) {
            found.append(.number(run { ("0"..."9").contains($0) || $0 == "." || $0 == "_" }))
        } else if scalar == "'" || scalar == "\"" {
            guard let text = quoted(scalars, &index) else { return nil }
            found.append(.text(text))
        } else {
            let pair = index + 1 < scalars.count ? "\(scalar)\(scalars[index + 1])" : ""
            if ["==", "!=", "<=", ">=", "//", "**"].contains(pair) {
                found.append(.mark(pair))
                index += 2
            } else if "+-*/%~<>()[]{}.,:|=".unicodeScalars.contains(scalar) {
                found.append(.mark("\(scalar)"))
                index += 1
            } else {
                return nil
            }
        }
    }
    return found
}

private func quoted(_ scalars: [Unicode.Scalar], _ index: inout Int) -> String? {
    let mark = scalars[index]
    var text = String.UnicodeScalarView()
    index += 1
    while index < scalars.count, scalars[index] != mark {
        var scalar = scalars[index]
        if scalar == "\\", index + 1 < scalars.count {
            index += 1
            let next = scalars[index]
            scalar = next == "n" ? "\n" : next == "t" ? "\t" : next
            // An escape of a regular expression keeps its backslash.
            if !"nt'\"\\".unicodeScalars.contains(next) { text.append("\\") }
        }
        text.append(scalar)
        index += 1
    }
    guard index < scalars.count else { return nil }
    index += 1
    return String(text)
}
