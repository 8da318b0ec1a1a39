import Synchronization

@testable import Asking
@testable import HTTP
@testable import Reading

extension FuzzTarget {
    private static let asked = "https://api.example.com/v1/items?page=1"
    private static var limits: HTTPLimits {
        HTTPLimits(
            wireBytesMax: 32 << 10, decodedBytesMax: 64 << 10, heldBytesMax: 128 << 10,
            headerBytesMax: 8 << 10)
    }

    /// Lines of a head, as curl hands them over, and all that is read in its fields.
    static let httpHead = FuzzTarget(name: "http-head") { bytes in
        let transfer = Transfer(request: HTTPRequest(url: asked), deadline: .now)
        for line in bytes.split(separator: 0x0a, omittingEmptySubsequences: false) {
            let isTaken = (Array(line) + [0x0a]).withUnsafeBytes {
                transfer.receive(headerLine: $0, limits: limits)
            }
            try expect(
                isTaken == (transfer.headerBytes <= limits.headerBytesMax),
                "a head of \(transfer.headerBytes) bytes was judged wrongly")
        }
        for header in transfer.headers {
            try expect(
                header.name.trimmingBlanks() == header.name
                    && header.value.trimmingBlanks() == header.value,
                "\(header) has blanks around it")
        }
        try checkFields(HTTPResponse(status: 301, headers: transfer.headers))
    }

    private static func checkFields(_ response: HTTPResponse) throws {
        let request = HTTPRequest(url: asked)
        do {
            if let next = try redirect(of: request, by: response) {
                try expect(Origin(url: next) == Origin(url: asked), "\(next) is another origin")
            }
        } catch let error as HTTPError {
            try expectLine(error.description)
        }
        if let next = LinkHeader.next(response.allValues(of: "Link")) {
            _ = Origin.resolve(next, against: asked)
        }
        if let text = response.header("Retry-After") {
            let wait = SaidWait.seconds(
                text, now: response.header("Date").flatMap(HTTPDate.unixSeconds))
            try expect(wait.map { $0 >= 0 && $0.isFinite } ?? true, "a wait of \(text)")
        }
        // What is stored of an answer is sent again, and must not spoil the next request.
        let validator = Answer(response, to: request, nil).validator
        try check(HTTPRequest(url: asked, headers: conditions(validator, url: asked)))
    }

    /// A body: in whatever pieces it comes, it is the same or refused, and never longer than its limit.
    static let httpBody = FuzzTarget(name: "http-body") { bytes in
        var body = bytes
        let encodings = ["gzip", "deflate", "identity", "br", ""]
        let encoding = encodings[body.takeChoice() % encodings.count]
        let size = body.takeChoice()
        let whole = received([body], encoding)
        let pieces = received(body.pieces(size), encoding)
        try expect(whole == pieces, "in pieces it is another body")
        try expect(
            whole.map { $0.count <= limits.decodedBytesMax } ?? true, "it is longer than it may be")
    }

    /// The body that a transfer makes of the pieces; nil where it is refused or not whole.
    private static func received(_ pieces: [[UInt8]], _ encoding: String) -> [UInt8]? {
        let transfer = Transfer(request: HTTPRequest(url: asked), deadline: .now)
        for line in ["HTTP/1.1 200 OK\r\n", "Content-Encoding: \(encoding)\r\n", "\r\n"] {
            _ = Array(line.utf8).withUnsafeBytes {
                transfer.receive(headerLine: $0, limits: limits)
            }
        }
        for piece in pieces where !piece.isEmpty {
            guard piece.withUnsafeBytes({ transfer.receive(body: $0, limits: limits) }) else {
                return nil
            }
        }
        return transfer.isComplete ? transfer.body : nil
    }

    private static let client = HTTPClient(
        limits: limits, userAgent: "fuzz", privateNetworks: (try? Networks("127.0.0.0/8")) ?? .none)
    private static let listener = Loopback()

    /// A whole answer over a connection, by way of curl: it comes within its limits, or one line says why not.
    static let httpAnswer = FuzzTarget(name: "http-answer") { bytes in
        let result = Mutex<Result<HTTPResponse, HTTPError>?>(nil)
        let request = HTTPRequest(url: "http://127.0.0.1:\(listener.port)/items")
        let isOver = Semaphore()
        let task = Task {
            let sent: Result<HTTPResponse, HTTPError>
            do throws(HTTPError) {
                sent = .success(try await client.send(request, deadline: .now + .seconds(5)))
            } catch { sent = .failure(error) }
            result.withLock { $0 = sent }
            isOver.signal()
        }
        listener.answer(bytes, until: isOver)
        switch result.withLock({ $0 }) {
        case .success(let response):
            try expect(response.body.count <= limits.decodedBytesMax, "a body without a bound")
            try expect(200...999 ~= response.status, "status \(response.status)")
            try checkFields(response)
        case .failure(let error):
            try expectLine(error.description)
            try expect(error != .timedOut(phase: .receiving), "it waits for what does not come")
        case nil: throw Broken(description: "the exchange has no end")
        }
        task.cancel()
    }
}
