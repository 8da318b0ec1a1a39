import Serving

extension FuzzTarget {
    /// A server that says what it was asked.
    private static let server: HTTPServer? = ListenAddress("127.0.0.1:0").flatMap { address in
        try? HTTPServer(address, takesForms: true) { request in
            let told = request.headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
            let form = request.form.count > 50 ? "too many fields" : "\(request.form)"
            return ServedResponse(
                200, "seen \(request.path)\n\(request.query)\n\(told)\n\(form)\n")
        }
    }

    /// What `serve` and a worker's metrics are asked: a head, with a form behind it or without, is answered, refused, or not
    /// listened to.
    static let serve = FuzzTarget(name: "serve") { bytes in
        guard let server else { throw Broken(description: "the server does not start") }
        let answer = Loopback.ask(bytes, port: server.address.port)
        if answer.isEmpty { return }
        try expect(
            answer.starts(with: "HTTP/1.".utf8),
            "\(answer.prefix(80).map { $0 }.text.debugDescription) is no answer")
        let isSeen = answer.firstRange(of: "seen ".utf8) != nil
        let isAsked = ["GET ", "HEAD ", "POST "].contains { bytes.firstRange(of: $0.utf8) != nil }
        try expect(!isSeen || isAsked, "another method was answered")
        try expect(
            answer.firstRange(of: "too many fields".utf8) == nil, "a form of 51 fields was taken")
        // A kept connection would be one that others don't have.
        let heads = answer.text.ranges(of: "HTTP/1.1 200").count
        try expect(heads <= 1, "\(heads) questions of one connection were answered")
    }
}
