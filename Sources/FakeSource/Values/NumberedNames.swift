/// `prefix000001` and on.
func numberedNames(_ prefix: String, from first: Int, count: Int) -> [String] {
    (0..<count).map { prefix + padded(Int64(first + $0), 6) }
}
