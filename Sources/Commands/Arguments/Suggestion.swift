/// The word that was probably meant: begins with what was typed, or differs by a slip or two.
func nearest(to typed: String, among words: [String]) -> String? {
    let beginning = words.filter { typed.count >= 3 && $0.hasPrefix(typed) }
    if beginning.count == 1 { return beginning[0] }
    let slipsMax = typed.count <= 4 ? 1 : 2
    let near = words.map { (word: $0, slips: editDistance(typed, $0)) }
        .filter { $0.slips <= slipsMax && $0.slips < $0.word.count }
    return near.min { $0.slips < $1.slips }?.word
}

/// `; did you mean X?`, or nothing.
func hint(for typed: String, among words: [String], prefix: String = "") -> String {
    nearest(to: typed, among: words).map { "; did you mean \(prefix)\($0)?" } ?? ""
}

/// Damerau-Levenshtein: insertions, deletions, changes and swaps of neighbours.
private func editDistance(_ left: String, _ right: String) -> Int {
    // A word longer than any of ours is no slip of one, and needn't cost a large table.
    let lengthMax = 64
    guard left.count <= lengthMax, right.count <= lengthMax else { return lengthMax }
    let (left, right) = (Array(left), Array(right))
    var table = [[Int]](
        repeating: [Int](repeating: 0, count: right.count + 1), count: left.count + 1)
    for row in 0...left.count { table[row][0] = row }
    for column in 0...right.count { table[0][column] = column }
    for row in left.indices {
        for column in right.indices {
            let change = table[row][column] + (left[row] == right[column] ? 0 : 1)
            var best = min(change, table[row][column + 1] + 1, table[row + 1][column] + 1)
            if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                best = min(best, table[row - 1][column - 1] + 1)
            }
            table[row + 1][column + 1] = best
        }
    }
    return table[left.count][right.count]
}
