@testable import HTTP
import Testing

/// Which addresses are connected to, and what whoever asked for another one is told.
@Suite struct AddressCheckTests {
    /// An address of each range and of each end of it, as IANA's registries have them.
    static let special = [
        "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255",
        "127.0.0.0", "127.255.255.255", "169.254.0.0", "169.254.255.255", "172.16.0.0",
        "172.31.255.255", "192.0.0.0", "192.0.0.255", "192.0.2.0", "192.0.2.255", "192.88.99.0",
        "192.88.99.255", "192.168.0.0", "192.168.255.255", "198.18.0.0", "198.19.255.255",
        "198.51.100.0", "198.51.100.255", "203.0.113.0", "203.0.113.255", "224.0.0.0",
        "239.255.255.255", "240.0.0.0", "255.255.255.254", "255.255.255.255", "::", "::1",
        "::8.8.8.8", "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "100::",
        "100::ffff:ffff:ffff:ffff", "2001::", "2001:0:ffff::", "2001:1ff:ffff::", "2001:db8::",
        "2001:db8:ffff::", "2002::", "2002:ffff::", "2002:808:808::", "3fff::", "3fff:fff::",
        "5f00::", "5f00:ffff::", "fc00::", "fdff:ffff::", "fe80::", "febf:ffff::", "fec0::",
        "feff:ffff::", "ff00::", "ffff:ffff::", "4000::", "8000::", "200::", "1fff:ffff::",
    ]
    static let metadata = [
        "169.254.169.254", "100.100.100.200", "192.0.0.192", "168.63.129.16", "fd00:ec2::254",
        "fd00:ec2::23", "fd20:ce::254", "fd00:42::42",
    ]
    static let open = [
        "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
        "126.255.255.255", "128.0.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0",
        "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
        "2000::1", "2001:200::1", "2606:4700::1111", "2a00:1450::1", "3ffe::1", "3fff:1000::1",
    ]

    private func refusal(
        _ text: String, _ networks: Networks = .none, isPublicOnly: Bool = false
    ) throws -> HTTPError? {
        let bytes = try #require(addressBytes(text), "\(text)")
        return AddressCheck(networks: networks).refusal(of: bytes, isPublicOnly: isPublicOnly)
    }

    /// The IPv4 address inside of those that stand for it.
    private func standIns(_ text: String) -> [String] {
        text.contains(":") ? [] : ["::ffff:\(text)", "64:ff9b::\(text)"]
    }

    @Test(arguments: special + metadata)
    func `an address of a special range is refused, whoever chose the host`(
        _ text: String
    ) throws {
        for address in [text] + standIns(text) {
            #expect(try refusal(address) != nil, "\(address)")
            #expect(try refusal(address, isPublicOnly: true) == .addressNotPublic)
        }
    }

    @Test(arguments: open)
    func `an address that anybody can reach is connected to, also through NAT64`(
        _ text: String
    ) throws {
        for address in [text] + standIns(text) {
            #expect(try refusal(address) == nil, "\(address)")
            #expect(try refusal(address, isPublicOnly: true) == nil)
        }
    }

    @Test func `a named network is connected to, and nothing beside it`() throws {
        let networks = try Networks("10.20.0.0/16,::1/128  fd12:3456::/32")
        for address in ["10.20.0.0", "10.20.255.255", "::ffff:10.20.1.1", "::1", "fd12:3456::7"] {
            #expect(try refusal(address, networks) == nil, "\(address)")
            #expect(try refusal(address, networks, isPublicOnly: true) == .addressNotPublic)
        }
        for address in ["10.19.255.255", "10.21.0.0", "127.0.0.1", "fd12:3457::", "192.168.0.1"] {
            #expect(try refusal(address, networks) != nil, "\(address)")
        }
    }

    @Test(
        arguments: metadata + ["169.254.1.1", "fe80::1", "224.0.0.1", "ff02::1", "0.0.0.0", "::"])
    func `no network that is named opens a metadata service or a link-local address`(
        _ text: String
    ) throws {
        let all = try Networks("0.0.0.0/0, ::/0, \(text)")
        var addresses = [text] + standIns(text)
        if let bytes = addressBytes(text), bytes.count == 4 {
            addresses += [
                "::\(text)", addressText([0x20, 0x02] + bytes + [UInt8](repeating: 0, count: 10)),
            ]
        }
        for address in addresses {
            #expect(try refusal(address, all) != nil, "\(address)")
        }
    }

    @Test func `a refusal names the address, its range and the setting`() throws {
        #expect(
            try refusal("10.0.0.5")?.description
                == "the host's address 10.0.0.5 is refused (Private-Use): sources live there only when"
                + " JOBRUNNER_PRIVATE_NETWORKS names its network")
        #expect(
            try refusal("::ffff:169.254.169.254")?.description
                == "the host's address 169.254.169.254 is refused (Metadata Service of a Cloud): no source lives"
                + " there, whatever JOBRUNNER_PRIVATE_NETWORKS names")
    }

    @Test(arguments: [
        "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/8", "10.0.0.0/+8", "10.0.0.1/8", "fd00::/129",
        "fd00::1/8", "10.0.0", "010.0.0.0/8", "localhost", "127.1/8", "10.0.0.0/-1", "[::1]/128",
        "fe80::1%eth0/128", "10.0.0.0/8;127.0.0.0/8", "/8", "*", "10.0.0.0\u{0}.example/8",
        "::1\u{0}",
    ])
    func `a word that is no network is refused by what would be right`(_ word: String) {
        let mistake = #expect(throws: Networks.Mistake.self) {
            try Networks("10.0.0.0/8, \(word)")
        }
        #expect(mistake?.description.hasPrefix("\"\(word)\" is no network; expected") == true)
    }

    @Test func `a list of no networks is none, and an address alone is one`() throws {
        #expect(try Networks(" , ") == .none)
        #expect(try refusal("127.0.0.1", Networks("127.0.0.1")) == nil)
        #expect(try refusal("127.0.0.2", Networks("127.0.0.1")) != nil)
        #expect(try refusal("127.0.0.2", Networks("0.0.0.0/0")) == nil)
    }
}
