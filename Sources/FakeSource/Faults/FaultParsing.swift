/// How a fault is commanded.
extension Fault {
    private static let keys = [
        "kind", "path", "user", "method", "skip", "nth", "times", "probability", "delay_ms",
        "status", "headers", "body", "bytes", "every_ms", "after", "extra", "depth", "count",
        "location", "from", "to",
    ]

    static func parse(_ body: [UInt8], id: Int) throws(BadRequest) -> Fault {
        let command = try Command(body, knows: keys + cloudKeys)
        let nth = try command.int("nth", in: 1...Int(Int32.max))
        let skip = try command.int("skip", in: 0...Int(Int32.max))
        let name = try command.needed("kind")
        let path = try command.string("path") ?? ""
        return Fault(
            id: id, pattern: path.split(separator: "/").map(String.init),
            user: try command.string("user"), method: try command.string("method"),
            skip: nth.map { $0 - 1 } ?? skip ?? 0,
            times: try command.int("times", in: 0...Int(Int32.max)) ?? 1,
            probability: try command.double("probability", in: 0...1) ?? 1,
            delay: Milliseconds(try command.int("delay_ms", in: 0...86_400_000) ?? 0),
            name: name, kind: try kind(name, command),
            cloud: CloudCondition(
                operation: try command.string("op"),
                recordType: try command.string("record_type"),
                zone: name == "zone_error" ? nil : try command.string("zone"),
                container: try command.string("container")))
    }

    private static func kind(_ name: String, _ command: Command) throws(BadRequest) -> FaultKind {
        if let kind = try bodyKind(name, command) { return kind }
        if let kind = pageKind(name) { return kind }
        if let kind = try cloudKind(name, command) { return kind }
        let anySize = 0...Int(Int32.max)
        switch name {
        case "slow": return .slow
        case "hang": return .hang
        case "close": return .close
        case "reset": return .reset
        case "chunked": return .chunked
        case "gzip": return .gzip
        case "hang_after": return .hangAfter(try command.int("after", in: anySize) ?? 0)
        case "cut": return .cut(after: try command.int("after", in: anySize) ?? 0)
        case "long_length": return .longLength(try command.int("extra", in: 1...1 << 30) ?? 10)
        case "duplicates": return .duplicates(try command.int("count", in: 1...500) ?? 1)
        case "replace":
            return .replace(
                try command.needed("from"), with: try command.needed("to"),
                most: try command.int("count", in: 1...1_000_000) ?? 1_000_000)
        case "echo": return .echo(try status(command) ?? 400)
        case "drip":
            return .drip(
                bytes: try command.int("bytes", in: 1...1 << 20) ?? 1,
                every: Milliseconds(try command.int("every_ms", in: 1...3_600_000) ?? 100))
        case "redirect":
            return .redirect(try command.needed("location"), status: try status(command) ?? 302)
        case "status":
            guard let status = try status(command) else { throw BadRequest("'status' is missing") }
            let body = try command.string("body")
            return .status(
                status, headers: try command.pairs("headers"), body: body.map { Array($0.utf8) })
        default:
            throw BadRequest("unknown kind '\(name)'; known: \(known.joined(separator: ", "))")
        }
    }

    private static func bodyKind(
        _ name: String, _ command: Command
    ) throws(BadRequest) -> FaultKind? {
        let body = try command.string("body").map { Array($0.utf8) }
        switch name {
        case "garbage":
            return .text(
                type: "application/json", body: body ?? [0xFF, 0xFE, 0] + Array("{]\u{1}".utf8))
        case "html":
            let page = "<!DOCTYPE html><html><body><h1>Welcome</h1></body></html>"
            return .text(type: "text/html; charset=utf-8", body: body ?? Array(page.utf8))
        case "wrong_type":
            let wrong = #"{"videos":{"0":1},"items":"none","nextCursor":7,"next":[],"total":"x"}"#
            return .text(type: "application/json", body: body ?? Array(wrong.utf8))
        case "raw": return .raw(body ?? Array("NONSENSE 999\r\n\r\n".utf8))
        case "deep": return .deep(try command.int("depth", in: 1...10_000_000) ?? 100_000)
        case "huge": return .huge(try command.int("bytes", in: 1...1 << 40) ?? 1 << 30)
        case "gzip_bomb": return .gzipBomb(try command.int("bytes", in: 1...1 << 40) ?? 1 << 30)
        default: return nil
        }
    }

    private static func pageKind(_ name: String) -> FaultKind? {
        switch name {
        case "endless_cursor": .page(.endless)
        case "repeated_cursor": .page(.repeated)
        case "loop_cursor": .page(.loop)
        case "empty_page": .page(.empty)
        default: nil
        }
    }

    private static func status(_ command: Command) throws(BadRequest) -> Int? {
        try command.int("status", in: 200...599)
    }

    private static let known =
        [
            "slow", "status", "drip", "hang", "hang_after", "cut", "long_length", "chunked",
            "garbage", "html", "wrong_type", "deep", "gzip", "gzip_bomb", "huge",
            "endless_cursor", "repeated_cursor", "loop_cursor", "empty_page", "duplicates",
            "replace",
            "redirect", "echo", "close", "reset", "raw",
        ] + cloudKinds
}
