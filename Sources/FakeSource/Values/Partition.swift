/// How many of `0..<count` come before the first that satisfies `holds`, which never turns false again.
func partition(_ count: Int, _ holds: (Int) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
        let middle = low + (high - low) / 2
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
}
