@testable import HTTP

/// The ways in which a host can be written so that some program or other takes it for an address.
///
/// Each is what stands between `http://` and the path; `port` is the one that is listened on.
func spellings(of address: [UInt8], port: Int) -> [String] {
    let hosts = address.count == 4 ? fourByteHosts(address) : sixteenByteHosts(address)
    let plain = address.count == 4 ? dotted(address) : "[\(addressText(address))]"
    let tricks = [
        "8.8.8.8@\(plain):\(port)", "user:word@\(plain):\(port)", "@\(plain):\(port)",
        "8.8.8.8:\(port)#@\(plain):\(port)", "8.8.8.8:\(port)\\@\(plain):\(port)",
        "8.8.8.8:\(port)?@\(plain):\(port)", "8.8.8.8%23@\(plain):\(port)",
        "8.8.8.8 @\(plain):\(port)", "\(plain):\(port)\\.8.8.8.8", "\(plain):\(port)#.8.8.8.8",
        "\(plain):\(port)@8.8.8.8:\(port)", "\(plain):+\(port)", "\(plain):0\(port)",
    ]
    return hosts.map { "\($0):\(port)" } + tricks
}

private func fourByteHosts(_ bytes: [UInt8]) -> [String] {
    let number = bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let (a, b, c, d) = (bytes[0], bytes[1], bytes[2], bytes[3])
    let text = dotted(bytes)
    let words = [number >> 16, number & 0xffff].map { String($0, radix: 16) }.joined(separator: ":")
    let each = { (radix: Int, prefix: String) in
        bytes.map { prefix + String($0, radix: radix) }.joined(separator: ".")
    }
    return [
        text, text + ".", text + "..", "\(number)", "\(number).", "0x" + String(number, radix: 16),
        "0X" + String(number, radix: 16, uppercase: true), "0" + String(number, radix: 8),
        "0x00000000" + String(number, radix: 16), "\(a).\(number & 0xff_ffff)",
        "\(a).\(b).\(number & 0xffff)", "\(a).0x" + String(number & 0xff_ffff, radix: 16),
        "0\(String(a, radix: 8)).\(number & 0xff_ffff)", each(16, "0x"), each(16, "0X"),
        each(8, "0"), each(8, "00000"),
        "0x\(String(a, radix: 16)).\(b).0\(String(c, radix: 8)).\(d)",
        "\(UInt64(number) + (1 << 32))", "-\(number)", "[\(text)]", "[::ffff:\(text)]",
        "[::FFFF:\(text)]", "[::ffff:\(words)]", "[::ffff:\(words.uppercased())]",
        "[0:0:0:0:0:ffff:\(words)]", "[0000:0000:0000:0000:0000:ffff:\(words)]",
        "[::ffff:0:\(words)]", "[::\(text)]", "[::\(words)]", "[64:ff9b::\(text)]",
        "[64:FF9B::\(words)]", "[0064:ff9b:0:0:0:0:\(words)]", "[64:ff9b:1::\(words)]",
        "[2002:\(words)::1]", "[2002:\(words):0:0:0:0:1]", "[::ffff:\(text)%25lo]",
        text.utf8.map { $0 == 0x2e ? "." : "%3" + String($0 - 0x30) }.joined(),
        text.replacing(".", with: "%2e"), text.replacing(".", with: "。"),
        String(text.unicodeScalars.map { fullWidth($0) }), text + "%00", text + "%25lo", " " + text,
        "\t" + text, text + "%09",
    ]
}

private func sixteenByteHosts(_ bytes: [UInt8]) -> [String] {
    let text = addressText(bytes)
    let words = stride(from: 0, to: 16, by: 2).map {
        UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
    }
    let long = words.map { String($0, radix: 16) }.joined(separator: ":")
    let padded = words.map { word in
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }.joined(separator: ":")
    let tail =
        words[..<6].map { String($0, radix: 16) }.joined(separator: ":")
        + ":" + dotted(Array(bytes[12...]))
    return [
        "[\(text)]", "[\(text.uppercased())]", "[\(long)]", "[\(padded)]",
        "[\(padded.uppercased())]", "[\(tail)]", "[\(text)%25lo]", "[\(text)%lo]", "[\(text)%251]",
        "[\(text)%25]", "[\(text)].", text, "[[\(text)]]", "[v6.\(text)]", "%5b\(text)%5d",
        "[ \(text)]",
    ]
}

private func dotted(_ bytes: [UInt8]) -> String { bytes.map { "\($0)" }.joined(separator: ".") }

private func fullWidth(_ scalar: Unicode.Scalar) -> Character {
    let isDigit = ("0"..."9").contains(scalar)
    return Character(isDigit ? Unicode.Scalar(scalar.value - 0x30 + 0xff10) ?? scalar : scalar)
}
