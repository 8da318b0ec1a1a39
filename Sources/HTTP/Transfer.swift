typealias TransferResult = Result<HTTPResponse, HTTPError>

/// One exchange on its way: made by a caller, cancelled by anyone, finished once by the loop.
///
/// Pooled curl handles serve many exchanges, so a late cancellation names the transfer and never
/// the handle. `@unchecked`: once it is posted, only the loop's thread touches its variables.
final class Transfer: @unchecked Sendable {
    enum State {
        /// Not yet added; a cancellation may overtake the addition.
        case new, cancelledEarly
        case waiting
        case active(EasyHandle)
        case finished
    }

    let request: HTTPRequest
    let deadline: ContinuousClock.Instant
    var state = State.new
    var continuation: CheckedContinuation<TransferResult, Never>?
    /// Its place in the loop's `DeadlineHeap`.
    var heapIndex: Int?

    var headers: [HTTPHeader] = []
    var headerBytes = 0
    /// Whether the final answer's headers came to their end; curl takes a close before it for one.
    var isHeaderComplete = false
    var body: [UInt8] = []
    /// Why a callback stopped curl; tells more than curl's own code.
    var refusal: HTTPError?
    var isAddressRefused = false

    init(request: HTTPRequest, deadline: ContinuousClock.Instant) {
        self.request = request
        self.deadline = deadline
    }

    /// Takes one header line; false when the headers grow over their limit.
    func receive(headerLine line: UnsafeRawBufferPointer, limits: HTTPLimits) -> Bool {
        headerBytes += line.count
        guard headerBytes <= limits.headerBytesMax else {
            refusal = .tooLarge(.headers, limit: limits.headerBytesMax)
            return false
        }
        let text = String(decoding: line, as: UTF8.self)
        if text.hasPrefix("HTTP/") {
            // The lines so far belonged to an interim answer.
            headers.removeAll()
            isHeaderComplete = false
        } else if text == "\r\n" || text == "\n" {
            isHeaderComplete = true
        } else if text.hasPrefix(" ") || text.hasPrefix("\t") {
            guard let last = headers.indices.last else { return true }
            headers[last].value += " " + text.trimmingBlanks()
        } else if let colon = text.firstIndex(of: ":") {
            let value = text[text.index(after: colon)...].trimmingBlanks()
            headers.append(HTTPHeader(text[..<colon].trimmingBlanks(), value))
        }
        return true
    }

    /// Takes decoded bytes; false when the body grows over its limit.
    func receive(body part: UnsafeRawBufferPointer, limits: HTTPLimits) -> Bool {
        guard body.count + part.count <= limits.decodedBytesMax else {
            refusal = .tooLarge(.decoded, limit: limits.decodedBytesMax)
            return false
        }
        body.append(contentsOf: part)
        return true
    }

    /// Looks at the bytes received so far; false when they, or what became of them, are too many.
    func check(wireBytes: Int, limits: HTTPLimits) -> Bool {
        if wireBytes > limits.wireBytesMax {
            refusal = refusal ?? .tooLarge(.wire, limit: limits.wireBytesMax)
        } else if let ratio = limits.decodedRatioMax, body.count > Self.ratioFloorBytes,
            body.count / ratio > wireBytes
        {
            refusal = refusal ?? .tooLarge(.ratio, limit: ratio)
        }
        return refusal == nil
    }

    /// Below this a high ratio is a small regular page, not a bomb.
    private static let ratioFloorBytes = 1 << 20
}
