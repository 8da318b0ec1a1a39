import Basics
import CCurl
import CCurlShim

/// A curl handle that serves one transfer; the loop's thread alone uses it.
///
/// Never a second one: before 8.1.1, curl adds a head that begins with a blank to the last field of the handle's
/// transfer before, which is freed by then (curl's issue 11101). Connections are the multi handle's, and are kept.
final class EasyHandle {
    /// Instead of curl's own 16 KB.
    private static let smallBufferBytes = 4 << 10

    let pointer: UnsafeMutableRawPointer
    private var headerList: UnsafeMutablePointer<curl_slist>?
    private var context: CallbackContext?
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    init?() {
        guard let pointer = curl_easy_init() else {
            errorText.deallocate()
            return nil
        }
        self.pointer = pointer
    }

    deinit {
        curl_easy_cleanup(pointer)
        curl_slist_free_all(headerList)
        errorText.deallocate()
    }

    /// Sets everything the transfer needs.
    ///
    /// `isOneOfMany`: it will wait beside hundreds of others, so that its buffer is kept small.
    func prepare(for transfer: Transfer, settings: ClientSettings, isOneOfMany: Bool) {
        errorText.pointee = 0
        jr_setopt_pointer(pointer, CURLOPT_ERRORBUFFER, errorText)
        setPolicy(settings)
        if isOneOfMany { setLong(CURLOPT_BUFFERSIZE, Self.smallBufferBytes) }
        setCallbacks(for: transfer, settings)
        jr_setopt_string(pointer, CURLOPT_URL, transfer.request.url)
        setMethodAndBody(of: transfer.request)
        setHeaders(of: transfer.request)
    }

    /// What curl says about a failure, as one short line of printable ASCII.
    func failureText(_ code: CURLcode) -> String {
        let text =
            errorText.pointee == 0
            ? String(cString: curl_easy_strerror(code)) : String(cString: errorText)
        let printable = text.utf8.filter { (0x20...0x7e).contains($0) }.prefix(200)
        return String(decoding: printable, as: UTF8.self)
    }

    private func setPolicy(_ settings: ClientSettings) {
        setLong(CURLOPT_NOSIGNAL, 1)
        // Without it a cancelled lookup joins its thread and stalls every other transfer.
        setLong(CURLOPT_QUICK_EXIT, 1)
        setLong(CURLOPT_FOLLOWLOCATION, 0)
        setLong(CURLOPT_PATH_AS_IS, 1)
        setLong(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        setLong(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        setLong(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        let timeout = settings.limits.connectTimeout
        setLong(CURLOPT_CONNECTTIMEOUT_MS, max(1, timeout.millisecondsRoundedUp))
        jr_setopt_string(pointer, CURLOPT_PROTOCOLS_STR, "http,https")
        // An empty proxy keeps curl from reading one out of the environment.
        jr_setopt_string(pointer, CURLOPT_PROXY, "")
        jr_setopt_string(pointer, CURLOPT_USERAGENT, settings.userAgent)
        if let caFile = settings.caFile { jr_setopt_string(pointer, CURLOPT_CAINFO, caFile) }
        jr_setopt_size(
            pointer, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(settings.limits.wireBytesMax))
    }

    private func setCallbacks(for transfer: Transfer, _ settings: ClientSettings) {
        let context = CallbackContext(
            transfer: transfer, limits: settings.limits,
            check: AddressCheck(networks: settings.privateNetworks))
        self.context = context
        let opaque = Unmanaged.passUnretained(context).toOpaque()
        jr_set_header(pointer, receiveHeader, opaque)
        jr_set_write(pointer, receiveBody, opaque)
        jr_set_open_socket(pointer, openSocket, opaque)
        // A connection is taken again by requests to which another rule applies than to the one that opened it.
        jr_set_before_request(pointer, beforeRequest, opaque)
    }

    private func setMethodAndBody(of request: HTTPRequest) {
        let method = request.method
        if request.body != nil || ["POST", "PUT", "PATCH"].contains(method) {
            let body = request.body ?? []
            setLong(CURLOPT_POST, 1)
            jr_setopt_size(pointer, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
            // An empty array may have no address, and without one curl would ask for the body.
            let start: [UInt8] = body.isEmpty ? [0] : body
            jr_setopt_pointer(pointer, CURLOPT_COPYPOSTFIELDS, start)
        } else if method == "HEAD" {
            setLong(CURLOPT_NOBODY, 1)
        }
        jr_setopt_string(pointer, CURLOPT_CUSTOMREQUEST, method)
    }

    private func setHeaders(of request: HTTPRequest) {
        // Off: curl's pause before long bodies, and its type for bodies that have none.
        var lines = ["Expect:", "Accept-Encoding: gzip, deflate"]
        if !request.headers.contains(where: { equalIgnoringCase($0.name, "Content-Type") }) {
            lines.append("Content-Type:")
        }
        // In curl's list a name without a value takes a semicolon; with a colon it would vanish.
        lines += request.headers.map { header in
            let value = header.value.trimmingBlanks()
            return value.isEmpty ? "\(header.name);" : "\(header.name): \(value)"
        }
        for line in lines {
            if let list = curl_slist_append(headerList, line) { headerList = list }
        }
        jr_setopt_pointer(pointer, CURLOPT_HTTPHEADER, headerList)
    }

    private func setLong(_ option: CURLoption, _ value: Int) {
        jr_setopt_long(pointer, option, value)
    }
}
