import Foundation
import Glibc
import Testing

@testable import FakeSource

/// A raw HTTP client that sees exactly what came over the wire.
struct Client {
    let port: UInt16

    struct Reply {
        var status = 0
        var headers: [String: String] = [:]
        var body: [UInt8] = []
        /// Whether the body had the length it promised.
        var isWhole = false
        var wire: [UInt8] = []
        var wasReset = false

        var text: String { String(decoding: body, as: UTF8.self) }

        func json() throws -> [String: Any] {
            let object = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
            return try #require(object)
        }

        func items(_ name: String) throws -> [[String: Any]] {
            try #require(try json()[name] as? [[String: Any]])
        }
    }

    func connect() throws -> Int32 {
        let file = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(file, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(result == 0)
        return file
    }

    func write(_ file: Int32, _ bytes: [UInt8]) {
        _ = Glibc.send(file, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    func request(
        _ method: String, _ path: String, _ headers: [String: String] = [:], body: String? = nil
    ) -> [UInt8] {
        var text = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        if let body { text += "Content-Length: \(body.utf8.count)\r\n" }
        return Array((text + "\r\n" + (body ?? "")).utf8)
    }

    func raw(_ bytes: [UInt8]) throws -> Reply {
        let file = try connect()
        defer { close(file) }
        write(file, bytes)
        var reply = Reply()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(file, &buffer, buffer.count, 0)
            if count < 0 { reply.wasReset = errno == ECONNRESET }
            if count <= 0 { break }
            reply.wire += buffer[..<count]
        }
        parse(&reply)
        return reply
    }

    private func parse(_ reply: inout Reply) {
        let mark = Array("\r\n\r\n".utf8)
        guard let end = Data(reply.wire).range(of: Data(mark)) else { return }
        let head = String(decoding: reply.wire[..<end.lowerBound], as: UTF8.self)
        let lines = head.components(separatedBy: "\r\n")
        reply.status = Int(lines[0].split(separator: " ").dropFirst().first ?? "") ?? 0
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            reply.headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        reply.body = Array(reply.wire[end.upperBound...])
        if let length = reply.headers["content-length"].flatMap({ Int($0) }) {
            reply.isWhole = length == reply.body.count
        } else {
            reply.isWhole = reply.body.suffix(5) == Array("0\r\n\r\n".utf8)[...]
        }
    }

    func get(_ path: String, _ headers: [String: String] = [:]) throws -> Reply {
        try raw(request("GET", path, headers))
    }

    func post(_ path: String, _ body: String) throws -> Reply {
        try raw(request("POST", path, body: body))
    }

    /// A control command that must succeed.
    @discardableResult
    func command(_ name: String, _ body: String) throws -> Reply {
        let reply = try post("/_control/\(name)", body)
        try #require(reply.status == 200, "\(reply.text)")
        return reply
    }

    func register(_ user: String) throws {
        let reply = try post("/api/users/\(user)/channels", #"{"channelIds":["UCa","UCb"]}"#)
        try #require(reply.status == 200)
    }

    /// All pages of the feed, following `nextCursor` as the named parameter.
    func feed(_ user: String, since: String? = nil, limit: Int, by parameter: String = "cursor")
        throws -> [[String: Any]]
    {
        var videos: [[String: Any]] = []
        var query = since.map { "&since=\($0)" } ?? ""
        let fixed = parameter == "cursor" ? query : ""
        for _ in 0..<1000 {
            let reply = try get("/api/users/\(user)/feed?limit=\(limit)\(query)")
            try #require(reply.status == 200, "\(reply.text)")
            videos += try reply.items("videos")
            guard let next = try reply.json()["nextCursor"] as? String else { return videos }
            query = "\(fixed)&\(parameter)=\(percentEncoded(next))"
        }
        Issue.record("the feed did not end")
        return videos
    }
}

/// Runs a source of its own around a test.
func withSource(
    _ change: (inout FakeSourceOptions) -> Void = { _ in }, _ body: (Client) throws -> Void
) throws {
    var options = FakeSourceOptions()
    change(&options)
    let source = try FakeSourceServer(options)
    defer { source.stop() }
    try body(Client(port: source.port))
}

func ids(_ items: [[String: Any]], _ key: String = "videoId") -> [String] {
    items.compactMap { $0[key] as? String }
}

/// Asks again until it holds; each question is a request, so nothing spins.
func eventually(_ what: String, _ holds: () throws -> Bool) rethrows {
    let deadline = monotonicClock() + 300_000
    while monotonicClock() < deadline {
        if try holds() { return }
        usleep(2000)
    }
    Issue.record("never: \(what)")
}
