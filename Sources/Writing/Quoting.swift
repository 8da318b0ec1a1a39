/// An identifier in double quotes; byte by byte, as the server reads it.
func quoted(_ identifier: String) -> String {
    let quote = UInt8(ascii: "\"")
    let bytes = identifier.utf8.flatMap { $0 == quote ? [quote, quote] : [$0] }
    return "\"\(String(decoding: bytes, as: UTF8.self))\""
}

/// The hash by which a sweep knows a key again.
func keyHash(of keys: [String], in row: String) -> String {
    "jobrunner.key_hash(\(keys.map { "\(row).\($0)::text" }.joined(separator: ", ")))"
}
