import Glibc

/// A block of addresses: `10.20.0.0/16`, `fd00::/8`.
struct AddressBlock: Sendable, Equatable {
    /// The first address of the block: 4 or 16 bytes in network order.
    let start: [UInt8]
    /// How many bits its addresses have in common.
    let length: Int

    /// Reads `ADDRESS/BITS`, or an address alone; nil when it is neither, or when bits beyond the length are set.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let first = parts.first, let start = addressBytes(String(first)) else { return nil }
        let bits = start.count * 8
        var length: Int? = bits
        if parts.count > 1 {
            // `Int` alone would take a sign as well.
            length = parts[1].utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(parts[1]) : nil
        }
        guard parts.count <= 2, let length, length <= bits else { return nil }
        self.start = start
        self.length = length
        guard masked(start) == start else { return nil }
    }

    /// An address of the other family is in no block.
    func contains(_ address: [UInt8]) -> Bool {
        address.count == start.count && masked(address) == start
    }

    /// The address without the bits beyond the length.
    private func masked(_ address: [UInt8]) -> [UInt8] {
        address.indices.map { index in
            let kept = min(8, max(0, length - index * 8))
            return address[index] & UInt8(truncatingIfNeeded: 0xff00 >> kept)
        }
    }
}

extension AddressBlock: CustomStringConvertible {
    /// As it is written.
    var description: String { "\(addressText(start))/\(length)" }
}

/// The bytes of an address that is written in the one usual way of its family; nil for all else.
func addressBytes(_ text: String) -> [UInt8]? {
    // The system reads up to there, and something else may follow.
    guard !text.utf8.contains(0) else { return nil }
    var four = in_addr()
    if inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: four) { Array($0) } }
    var six = in6_addr()
    if inet_pton(AF_INET6, text, &six) == 1 { return withUnsafeBytes(of: six) { Array($0) } }
    return nil
}

/// The usual text of an address.
func addressText(_ bytes: [UInt8]) -> String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "?" }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
