/// A range of addresses at which no source of the public internet lives.
///
/// The ranges and their names are those of IANA's registries of special-purpose addresses (IPv4 and IPv6), of the
/// multicast and reserved spaces, and the addresses at which clouds answer their machines with credentials.
struct SpecialRange: Sendable, Equatable {
    let name: String
    let block: AddressBlock
    /// No setting opens it: no source can be meant, or the answer is a machine's credential.
    let isClosed: Bool

    private init(_ text: String, _ name: String, isClosed: Bool = false) {
        guard let block = AddressBlock(text) else { preconditionFailure("\(text) is no block") }
        self.block = block
        self.name = name
        self.isClosed = isClosed
    }

    /// The first range that holds an address is what it is.
    static func holding(_ address: [UInt8]) -> SpecialRange? {
        all.first { $0.block.contains(address) }
    }

    static let all = metadata + ipv4 + ipv6

    /// They come first, so that they are closed inside a range that may be opened.
    private static let metadata = [
        "169.254.169.254", "100.100.100.200", "192.0.0.192", "168.63.129.16", "fd00:ec2::254",
        "fd00:ec2::23", "fd20:ce::254", "fd00:42::42",
    ].map { SpecialRange($0, "Metadata Service of a Cloud", isClosed: true) }

    private static let ipv4 = [
        SpecialRange("0.0.0.0/8", "This Network", isClosed: true),
        SpecialRange("10.0.0.0/8", "Private-Use"),
        SpecialRange("100.64.0.0/10", "Shared Address Space"),
        SpecialRange("127.0.0.0/8", "Loopback"),
        SpecialRange("169.254.0.0/16", "Link Local", isClosed: true),
        SpecialRange("172.16.0.0/12", "Private-Use"),
        SpecialRange("192.0.0.0/24", "IETF Protocol Assignments"),
        SpecialRange("192.0.2.0/24", "Documentation (TEST-NET-1)"),
        SpecialRange("192.88.99.0/24", "Deprecated (6to4 Relay Anycast)"),
        SpecialRange("192.168.0.0/16", "Private-Use"),
        SpecialRange("198.18.0.0/15", "Benchmarking"),
        SpecialRange("198.51.100.0/24", "Documentation (TEST-NET-2)"),
        SpecialRange("203.0.113.0/24", "Documentation (TEST-NET-3)"),
        SpecialRange("224.0.0.0/4", "Multicast", isClosed: true),
        SpecialRange("255.255.255.255/32", "Limited Broadcast", isClosed: true),
        SpecialRange("240.0.0.0/4", "Reserved"),
    ]

    private static let ipv6 = [
        SpecialRange("::/128", "Unspecified Address", isClosed: true),
        SpecialRange("::1/128", "Loopback Address"),
        SpecialRange("::/96", "IPv4-compatible Address"),
        SpecialRange("64:ff9b:1::/48", "IPv4-IPv6 Translation"),
        SpecialRange("100::/64", "Discard-Only Address Block"),
        SpecialRange("2001::/32", "TEREDO"),
        SpecialRange("2001::/23", "IETF Protocol Assignments"),
        SpecialRange("2001:db8::/32", "Documentation"),
        SpecialRange("2002::/16", "6to4"),
        SpecialRange("3fff::/20", "Documentation"),
        SpecialRange("5f00::/16", "Segment Routing (SRv6) SIDs"),
        SpecialRange("fc00::/7", "Unique-Local"),
        SpecialRange("fe80::/10", "Link-Local Unicast", isClosed: true),
        SpecialRange("fec0::/10", "Site-Local Unicast"),
        SpecialRange("ff00::/8", "Multicast", isClosed: true),
        // Global unicast is 2000::/3; here is what remains.
        SpecialRange("::/3", "not Global Unicast"),
        SpecialRange("4000::/2", "not Global Unicast"),
        SpecialRange("8000::/1", "not Global Unicast"),
    ]
}
