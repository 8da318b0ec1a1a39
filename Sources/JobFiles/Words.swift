/// What a name of a table, column, list, field, entity or call is made of, in words.
let nameRule = "of a-z, 0-9 and _, not starting with a digit, 63 characters at most"

/// True for `[a-z_][a-z0-9_]{0,62}`, what PostgreSQL takes without quotes and without cutting.
func isNameText(_ text: String) -> Bool {
    let bytes = text.utf8
    guard (1...63).contains(bytes.count), let first = bytes.first, !isDigit(first) else {
        return false
    }
    return bytes.allSatisfy { isLowercase($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
}

/// True for `a-z`.
func isLowercase(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }

/// True for `0-9`.
func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

/// True for the name of an HTTP header field (RFC 9110, token).
func isToken(_ text: String) -> Bool {
    !text.isEmpty
        && text.utf8.allSatisfy {
            isLowercase($0 | 0x20) || isDigit($0) || "!#$%&'*+-.^_`|~".utf8.contains($0)
        }
}

/// The word that was probably meant; nil when none is near enough to be one.
func nearestWord(to text: String, in words: [String]) -> String? {
    let text = text.lowercased()
    // Nobody mistypes a word of the vocabulary as something this long.
    let count = text.utf8.count
    guard (1...64).contains(count) else { return nil }
    let tolerance = count <= 2 ? 0 : count <= 4 ? 1 : count <= 7 ? 2 : 3
    let near = words.filter { abs($0.utf8.count - count) <= tolerance }
    let ranked = near.map { (distance: editDistance(text, $0.lowercased()), word: $0) }
    let best = ranked.min { $0.distance < $1.distance }
    return best.flatMap { $0.distance <= tolerance ? $0.word : nil }
}

/// Letters to insert, delete, replace, or swap with a neighbour.
func editDistance(_ left: String, _ right: String) -> Int {
    let left = Array(left.utf8)
    let right = Array(right.utf8)
    var rows = [Array(0...right.count)]
    for row in 1..<(left.count + 1) {
        var current = [row]
        for column in 1..<(right.count + 1) {
            let isSame = left[row - 1] == right[column - 1]
            var best = min(
                current[column - 1] + 1, rows[row - 1][column] + 1,
                rows[row - 1][column - 1] + (isSame ? 0 : 1))
            if row > 1, column > 1, left[row - 1] == right[column - 2],
                left[row - 2] == right[column - 1]
            {
                best = min(best, rows[row - 2][column - 2] + 1)
            }
            current.append(best)
        }
        rows.append(current)
    }
    return rows[left.count][right.count]
}
