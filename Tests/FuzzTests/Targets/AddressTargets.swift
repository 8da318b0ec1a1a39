import Glibc
import JSON

@testable import HTTP
@testable import JobFiles

extension FuzzTarget {
    /// A reference against a base: what is asked for is what curl dials, and reading it again changes nothing.
    static let url = FuzzTarget(name: "url") { bytes in
        let parts = bytes.parts(2).map(\.text)
        let base = parts.count > 1 ? parts[1] : "https://api.example.com:8443/v1/items/?page=2"
        guard let url = Origin.resolve(parts[0], against: base) else { return }
        let origin = try checkDialled(url)
        try expect(Origin.resolve(url, against: base) == url, "\(url) is another one when resolved")
        try expect(
            Origin(url: origin.description) == origin, "\(origin) is another one when written")
        try expect(
            percentDecoded(percentEncode(queryValue: parts[0])) == parts[0],
            "decoded it is another text")
    }

    /// Addresses as they are written, blocks of them, and which of them are connected to.
    static let address = FuzzTarget(name: "address") { bytes in
        let text = bytes.text
        if let address = addressBytes(text) {
            try expect(!text.utf8.contains(0), "an address holds NUL")
            try expect(addressBytes(addressText(address)) == address, "written it is another one")
        }
        if let block = AddressBlock(text) {
            try expect(AddressBlock(block.description) == block, "\(block) is another when written")
            try expect(block.contains(block.start), "\(block) lacks its start")
        }
        _ = try? Networks(text)
        if bytes.count >= 16 { try checkGuard(Array(bytes.prefix(16))) }
        if bytes.count >= 4 { try checkGuard(Array(bytes.prefix(4))) }
    }

    /// What a user's attributes make of an address: the host is one that was allowed, and what curl dials.
    static let chosenAddress = FuzzTarget(name: "chosen-address") { bytes in
        var bytes = bytes
        let templates = [
            "https://{user.a}", "https://{user.a}.example.com:8443/{user.b}/x",
            "https://{user.a}.{user.b}/api", "https://api.example.com/{user.a}/{user.b}",
        ]
        let text = templates[bytes.takeChoice() % templates.count]
        let values = bytes.parts(2).map(\.text) + [""]
        let attributes = JSONValue.object([
            JSONMember("a", .string(values[0])), JSONMember("b", .string(values[1])),
        ])
        guard let template = AddressTemplate(text),
            let made = try? template.rendered(
                with: attributes, hosts: ["*.example.com", "10.1.2.3", "*"])
        else { return }
        let origin = try checkDialled(made.text)
        let host = made.chosenHost ?? "api.example.com"
        try expect(origin.host == host, "\(made.text) is not of \(host)")
        try expect(
            host == "10.1.2.3" || made.chosenHost == nil || made.isPublicOnly,
            "\(host) is chosen freely")
        try expect(
            Origin.resolve(made.text, against: made.text).map {
                [made.text, made.text + "/"].contains($0)
            } ?? false,
            "\(made.text) leads elsewhere")
    }

    /// Throws unless the address has an origin, and curl sees the same one in it where it takes it.
    private static func checkDialled(_ url: String) throws -> Origin {
        guard let origin = Origin(url: url) else {
            throw Broken(description: "\(url) has no origin")
        }
        try expect(url.utf8.allSatisfy { 0x21...0x7e ~= $0 }, "\(url) can't be sent")
        let isName = HostName(origin.host).map { !$0.isAddress } ?? false
        try expect(!isName || !isNumeric(origin.host), "\(origin.host) is an address")
        guard let dialled = CurlURL(url) else { return origin }
        try expect(
            dialled.scheme == origin.scheme && dialled.port == origin.port, "\(dialled) is dialled")
        let isSame =
            dialled.host == origin.host
            || addressBytes(dialled.host.unbracketed) == addressBytes(origin.host.unbracketed)
                && addressBytes(dialled.host.unbracketed) != nil
        // curl makes one of every notation of an IPv4 address.
        try expect(isSame || !isName && isNumeric(origin.host), "\(dialled) is dialled")
        return origin
    }

    /// The system reads the host as an address, without asking anybody.
    private static func isNumeric(_ host: String) -> Bool {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &found) == 0 else { return false }
        freeaddrinfo(found)
        return true
    }

    private static let nobody = AddressCheck(networks: .none)
    private static let everybody = (try? Networks("0.0.0.0/0, ::/0")).map {
        AddressCheck(networks: $0)
    }

    private static func checkGuard(_ address: [UInt8]) throws {
        let text = addressText(address)
        let refusal = nobody.refusal(of: address, isPublicOnly: false)
        try expect(
            (refusal == nil) == (nobody.refusal(of: address, isPublicOnly: true) == nil),
            "\(text) is public and is not")
        if case .addressRefused(let reason) = refusal {
            try expectLine(reason.description)
            let opened = everybody?.refusal(of: address, isPublicOnly: false)
            try expect((opened == nil) == reason.canBeNamed, "\(text) is opened against its word")
        }
        guard address.count == 4 else { return }
        for carrier in ["::ffff:", "64:ff9b::"] {
            let carried = addressBytes(carrier + text) ?? []
            try expect(
                nobody.refusal(of: carried, isPublicOnly: false) == refusal,
                "\(carrier)\(text) is not judged as \(text)")
        }
        let sixToFour = [0x20, 0x02] + address + [UInt8](repeating: 0, count: 10)
        try expect(
            nobody.refusal(of: sixToFour, isPublicOnly: false) != nil, "\(text) is reached by 6to4")
    }
}

extension String {
    fileprivate var unbracketed: String { hasPrefix("[") ? String(dropFirst().dropLast()) : self }
}
