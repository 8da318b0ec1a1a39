import Glibc

typealias TransferResult = Result<HTTPResponse, HTTPError>

/// One exchange on its way: made by a caller, cancelled by anyone, finished once by the loop.
///
/// A curl handle may be gone, and another one at its address, so a late cancellation names the transfer and never the
/// handle. `@unchecked`: once it is posted, only the loop's thread touches its variables.
final class Transfer: @unchecked Sendable {
    enum State {
        /// Not yet added; a cancellation may overtake the addition.
        case new, cancelledEarly
        case waiting
        /// Served by the curl handle at this address.
        case active(UnsafeMutableRawPointer)
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
    private var isHeaderComplete = false
    private(set) var wireBytes = 0
    private var decoder: BodyDecoder?
    var body: [UInt8] = []
    /// Counts the body; made when it begins, gone when the transfer is.
    var hold: BodyHold?
    /// Why a callback stopped curl; tells more than curl's own code.
    var refusal: HTTPError?
    /// Why an address of the host was not connected to.
    var addressRefusal: HTTPError?
    /// The last address that curl was about to connect to, with its length.
    var address: (sockaddr_storage, length: socklen_t)?
    /// Why the system gave no socket; 0: it did.
    var socketError: Int32 = 0

    init(request: HTTPRequest, deadline: ContinuousClock.Instant) {
        self.request = request
        self.deadline = deadline
    }

    /// Takes one header line; false when the headers grow over their limit.
    func receive(headerLine line: UnsafeRawBufferPointer, limits: HTTPLimits) -> Bool {
        headerBytes += line.count
        guard headerBytes <= limits.headerBytesMax else {
            return refuse(.tooLarge(.headers, limit: limits.headerBytesMax))
        }
        let text = String(decoding: line, as: UTF8.self)
        if text.hasPrefix("HTTP/") {
            // The lines so far belonged to an interim answer.
            headers.removeAll()
            isHeaderComplete = false
        } else if text == "\r\n" || text == "\n" {
            isHeaderComplete = true
        } else if line.first == UInt8(ascii: " ") || line.first == 0x09 {
            guard let last = headers.indices.last else { return true }
            headers[last].value = "\(headers[last].value) \(text.trimmingBlanks())".trimmingBlanks()
        } else if let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) {
            let value = text[text.utf8.index(after: colon)...].trimmingBlanks()
            headers.append(HTTPHeader(text[..<colon].trimmingBlanks(), value))
        }
        return true
    }

    /// Takes body bytes as received; false when they are too many or not what they claim to be.
    func receive(body bytes: UnsafeRawBufferPointer, limits: HTTPLimits) -> Bool {
        wireBytes += bytes.count
        guard wireBytes <= limits.wireBytesMax else {
            return refuse(.tooLarge(.wire, limit: limits.wireBytesMax))
        }
        if wireBytes == bytes.count, let encoding = contentEncoding {
            decoder = BodyDecoder(encoding: encoding)
            guard decoder != nil else { return refuse(.badEncoding) }
        }
        guard let decoder else { return append(bytes, limits: limits) }
        return decoder.decode(bytes) { append($0, limits: limits) } || refuse(.badEncoding)
    }

    /// Whether the answer came to its end; curl also calls it done when headers or a compressed
    /// stream break off.
    var isComplete: Bool { isHeaderComplete && decoder?.isAtEnd ?? true }

    private func append(_ decoded: UnsafeRawBufferPointer, limits: HTTPLimits) -> Bool {
        let count = body.count + decoded.count
        guard count <= limits.decodedBytesMax else {
            return refuse(.tooLarge(.decoded, limit: limits.decodedBytesMax))
        }
        if body.isEmpty { reserve() }
        body.append(contentsOf: decoded)
        hold?.add(decoded.count)
        return true
    }

    /// Room for what the source declares, so that a long body is not moved while it grows.
    ///
    /// Never more than a page usually has: a declaration costs a source nothing.
    private func reserve() {
        guard decoder == nil,
            let declared = headers.last(where: { equalIgnoringCase($0.name, "Content-Length") }),
            let count = Int(declared.value), count > 0
        else { return }
        body.reserveCapacity(min(count, Self.reservedBytesMax))
    }

    /// Notes why the transfer stops; the first reason counts.
    private func refuse(_ reason: HTTPError) -> Bool {
        refusal = refusal ?? reason
        return false
    }

    private var contentEncoding: String? {
        let header = headers.last { equalIgnoringCase($0.name, "Content-Encoding") }
        guard let value = header?.value, !value.isEmpty else { return nil }
        return equalIgnoringCase(value, "identity") ? nil : value
    }

    private static let reservedBytesMax = 1 << 20

}
