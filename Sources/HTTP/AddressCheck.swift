/// Decides which addresses are connected to: those that anybody can reach, and those of networks that the operator named.
///
/// Names and what they resolve to are other people's, and so may be the host of a base. Therefore the address itself is
/// looked at, each time a connection is opened and each time one is used.
struct AddressCheck: Sendable {
    let networks: Networks

    /// Nil when the address, of 4 or 16 bytes in network order, may be connected to.
    ///
    /// `isPublicOnly`: a user has chosen the host, so that the operator's networks do not count.
    func refusal(of address: [UInt8], isPublicOnly: Bool) -> HTTPError? {
        let address = reached(by: address)
        guard let range = SpecialRange.holding(address) else { return nil }
        let isClosed = range.isClosed || leadsToClosed(address)
        if !isClosed, !isPublicOnly, networks.contain(address) { return nil }
        if isPublicOnly { return .addressNotPublic }
        return .addressRefused(
            AddressRefusal(
                address: addressText(address), range: range.name, canBeNamed: !isClosed))
    }
}

/// Why an address is not connected to.
public struct AddressRefusal: Sendable, Equatable {
    /// The address.
    public let address: String
    /// What its range is called.
    public let range: String
    /// The setting may name its network.
    public let canBeNamed: Bool

    /// Describes a refusal.
    public init(address: String, range: String, canBeNamed: Bool) {
        self.address = address
        self.range = range
        self.canBeNamed = canBeNamed
    }
}

extension AddressRefusal: CustomStringConvertible {
    /// One line that says how it may be allowed.
    public var description: String {
        "the host's address \(address) is refused (\(range)): "
            + (canBeNamed
                ? "sources live there only when \(Networks.settingOfSources) names its network"
                : "no source lives there, whatever \(Networks.settingOfSources) names")
    }
}

/// The address that is reached in the end: the IPv4 address inside a mapped one, or one for a translator (NAT64).
private func reached(by address: [UInt8]) -> [UInt8] {
    carriers.contains { $0.contains(address) } ? Array(address[12...]) : address
}

/// The IPv4 address inside a 6to4 or a compatible one is that of a metadata service or the like.
private func leadsToClosed(_ address: [UInt8]) -> Bool {
    guard address.count == 16 else { return false }
    let inner: ArraySlice<UInt8>
    if address.starts(with: [0x20, 0x02]) {
        inner = address[2..<6]
    } else if address.starts(with: [UInt8](repeating: 0, count: 12)) {
        // `::1` is an address of its own.
        if address[12...].dropLast().allSatisfy({ $0 == 0 }) { return false }
        inner = address[12...]
    } else {
        return false
    }
    return SpecialRange.holding(Array(inner))?.isClosed ?? false
}

private let carriers = ["::ffff:0:0/96", "64:ff9b::/96"].compactMap { AddressBlock($0) }
