/// Whether a source may live at an IPv4 address, given as its 4 bytes in network order.
///
/// Hosts come from the operator's files, so loopback and private networks are allowed. Addresses at
/// which no source can be meant are refused: this network, link-local, the clouds' metadata services,
/// multicast, reserved and broadcast.
func isSourceAddress(ipv4 bytes: [UInt8]) -> Bool {
    guard bytes.count == 4 else { return false }
    switch (bytes[0], bytes[1]) {
    case (0, _), (169, 254), (224..., _): return false
    default: return !metadataServices.contains(bytes)
    }
}

/// Whether a source may live at an IPv6 address, given as its 16 bytes; an IPv4 address inside it
/// (mapped, compatible, NAT64, 6to4) is held to the rules of IPv4.
func isSourceAddress(ipv6 bytes: [UInt8]) -> Bool {
    guard bytes.count == 16 else { return false }
    if bytes == loopback { return true }
    if bytes[0] == 0xff || (bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80) { return false }
    if metadataServices.contains(bytes) { return false }
    if embedsAtEnd.contains(where: { bytes.starts(with: $0) }) {
        return isSourceAddress(ipv4: Array(bytes[12...]))
    }
    if bytes.starts(with: [0x20, 0x02]) { return isSourceAddress(ipv4: Array(bytes[2..<6])) }
    return true
}

/// Whether an IPv4 address is one that anybody can reach (RFC 6890 and the lists of IANA): not this machine, no private
/// or shared network, no metadata service, nothing that is kept for examples or tests.
///
/// Where a user chooses the host, nothing else is connected to.
func isPublicAddress(ipv4 bytes: [UInt8]) -> Bool {
    guard isSourceAddress(ipv4: bytes) else { return false }
    switch (bytes[0], bytes[1], bytes[2]) {
    case (10, _, _), (127, _, _), (172, 16...31, _), (192, 168, _): return false
    case (100, 64...127, _): return false
    case (192, 0, 0), (192, 0, 2), (198, 51, 100), (203, 0, 113): return false
    case (192, 88, 99), (198, 18...19, _): return false
    default: return true
    }
}

/// The same of an IPv6 address: global unicast alone, and NAT64 in front of a public IPv4 address.
func isPublicAddress(ipv6 bytes: [UInt8]) -> Bool {
    guard isSourceAddress(ipv6: bytes) else { return false }
    if bytes.starts(with: nat64) { return isPublicAddress(ipv4: Array(bytes[12...])) }
    guard bytes[0] & 0xe0 == 0x20 else { return false }
    switch (bytes[0], bytes[1], bytes[2], bytes[3]) {
    // Protocol assignments with Teredo, examples, 6to4.
    case (0x20, 0x01, 0...1, _), (0x20, 0x01, 0x0d, 0xb8), (0x20, 0x02, _, _): return false
    case (0x3f, 0xff, 0...0x0f, _): return false
    default: return true
    }
}

private let nat64: [UInt8] = [0x00, 0x64, 0xff, 0x9b] + [UInt8](repeating: 0, count: 8)

private let loopback = [UInt8](repeating: 0, count: 15) + [1]

/// `::/96`, `::ffff:0:0/96`, `64:ff9b::/96`.
private let embedsAtEnd: [[UInt8]] = [
    [UInt8](repeating: 0, count: 12),
    [UInt8](repeating: 0, count: 10) + [0xff, 0xff],
    nat64,
]

/// Metadata services outside the link-local range: Alibaba, Oracle, Azure, Amazon (IPv6).
private let metadataServices: [[UInt8]] = [
    [100, 100, 100, 200],
    [192, 0, 0, 192],
    [168, 63, 129, 16],
    [0xfd, 0x00, 0x0e, 0xc2] + [UInt8](repeating: 0, count: 10) + [0x02, 0x54],
]
