/// FNV-1a of 64 bits: the same in every process and version.
public func stableHashBits(_ text: String) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    return hash
}

/// The same in hexadecimal digits.
public func stableHash(_ text: String) -> String { String(stableHashBits(text), radix: 16) }
