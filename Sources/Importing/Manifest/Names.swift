import JobFiles

/// A name of lower-case words with `_` between, whatever case and marks it was written with.
func snakeCase(_ text: String) -> String {
    var result = ""
    var before: Character = "_"
    let characters = Array(text)
    for (index, character) in characters.enumerated() {
        let isPart = character.isASCII && (character.isLetter || character.isNumber)
        if !isPart {
            if before != "_" { result.append("_") }
            before = "_"
            continue
        }
        let startsWord =
            character.isUppercase
            && (before.isLowercase || before.isNumber
                || before.isUppercase && index + 1 < characters.count
                    && characters[index + 1].isLowercase)
        if startsWord, !result.isEmpty, !result.hasSuffix("_") { result.append("_") }
        result.append(contentsOf: character.lowercased())
        before = character
    }
    while result.hasSuffix("_") { result.removeLast() }
    if result.isEmpty { result = "x" }
    return result.first?.isNumber == true ? "n\(result)" : result
}

/// At most as long as a name of PostgreSQL, and another one than what it was cut from.
func shortened(_ name: String, to limit: Int = 63) -> String {
    guard name.count > limit else { return name }
    let sum = name.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
    let tail = String(sum, radix: 36)
    return name.prefix(limit - tail.count - 1) + "_" + tail
}

/// Names that no two things of one place share.
struct NameSet {
    private var taken: Set<String>

    init(except taken: [String] = []) { self.taken = Set(taken) }

    /// The name, or with a suffix where it is taken already.
    mutating func unique(_ wanted: String) -> String {
        var name = shortened(wanted)
        if taken.contains(name) { name = shortened(wanted + "_value") }
        var count = 2
        while taken.contains(name) {
            name = shortened("\(wanted)_\(count)")
            count += 1
        }
        taken.insert(name)
        return name
    }

    /// For the columns of a table.
    static var columns: NameSet { NameSet(except: Field.takenNames + ["row_key"]) }
}
