/// A column of PostgreSQL's COPY text format.
func copyField(_ text: String?) -> String {
    guard let text else { return "\\N" }
    let isPlain = text.utf8.allSatisfy { $0 >= 32 && $0 != UInt8(ascii: "\\") }
    if isPlain { return text }
    var escaped = ""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\\": escaped += "\\\\"
        case "\t": escaped += "\\t"
        case "\n": escaped += "\\n"
        case "\r": escaped += "\\r"
        default: escaped.unicodeScalars.append(scalar)
        }
    }
    return escaped
}
