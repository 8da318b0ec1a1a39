/// What a fault does to an answer.
extension FaultKind {
    /// The answer in place of the real one; nil when the real one is made and then spoilt.
    func replacement(_ request: Request) -> Answer? {
        switch self {
        case .status(let status, let headers, let body):
            var answer = Answer.error(status, "fault commanded")
            if let body { answer.body = .bytes(body) }
            for (name, value) in headers {
                answer.headers.removeAll { $0.0.lowercased() == name.lowercased() }
                answer.headers.append((name, value))
            }
            return answer
        case .text(let type, let body):
            return Answer(headers: [("Content-Type", type)], body: .bytes(body))
        case .deep(let depth):
            let before = Array(#"{"videos":"#.utf8)
            let open = [UInt8](repeating: UInt8(ascii: "["), count: depth)
            let close = [UInt8](repeating: UInt8(ascii: "]"), count: depth)
            return Answer.json(200, before + open + close + Array("}".utf8))
        case .huge(let bytes):
            return spoiltBody(
                .run(
                    before: Array(#"{"videos":[],"items":[],"padding":""#.utf8),
                    byte: UInt8(ascii: "x"), count: bytes, after: Array(#""}"#.utf8)))
        case .gzipBomb(let bytes):
            var answer = spoiltBody(Gzip.bomb(bytes))
            answer.headers.append(("Content-Encoding", "gzip"))
            return answer
        case .redirect(let location, let status):
            var answer = Answer.error(status, "moved")
            answer.headers.append(("Location", location))
            return answer
        case .echo(let status): return Answer.error(status, echo(request))
        case .hang: return Answer(delivery: .hang)
        case .close: return Answer(delivery: .close)
        case .reset: return Answer(delivery: .reset)
        case .raw(let bytes): return Answer(delivery: .raw(bytes))
        default: return nil
        }
    }

    private func spoiltBody(_ body: Body) -> Answer {
        Answer(headers: [("Content-Type", "application/json")], body: body)
    }

    /// What a careless server tells everyone: the caller's secrets.
    private func echo(_ request: Request) -> String {
        let query = request.queries.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
        let headers = request.headers.map { "\($0.0): \($0.1)" }.joined(separator: "; ")
        return "rejected \(request.path)?\(query) [\(headers)]"
    }

    func apply(to answer: inout Answer) {
        switch self {
        case .drip(let bytes, let every): answer.shape.pace = (bytes, every)
        case .hangAfter(let bytes): answer.shape.hangAfter = bytes
        case .cut(let bytes): answer.shape.cutAfter = bytes
        case .longLength(let extra): answer.shape.missingBytes = extra
        case .chunked: answer.shape.isChunked = true
        case .replace(let text, let other, let most):
            guard case .bytes(let bytes) = answer.body else { return }
            var parts = String(decoding: bytes, as: UTF8.self)
                .split(separator: text, maxSplits: most, omittingEmptySubsequences: false)[...]
            guard let first = parts.popFirst() else { return }
            answer.body = .bytes(Array((first + parts.map { other + $0 }.joined()).utf8))
        case .gzip:
            guard case .bytes(let bytes) = answer.body else { return }
            answer.body = .bytes(Gzip.stored(bytes))
            answer.headers.append(("Content-Encoding", "gzip"))
        default: break
        }
    }

    var cursorFault: CursorFault? {
        if case .page(let cursorFault) = self { return cursorFault }
        return nil
    }

    var duplicates: Int {
        if case .duplicates(let count) = self { return count }
        return 0
    }
}
