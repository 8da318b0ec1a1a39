import CCurl

/// What curl reads in an address, as it does before it connects; nil where it refuses it.
struct CurlURL: CustomStringConvertible {
    let scheme: String
    let host: String
    let port: Int

    init?(_ url: String) {
        guard let handle = curl_url() else { return nil }
        defer { curl_url_cleanup(handle) }
        let flags = UInt32(CURLU_PATH_AS_IS | CURLU_DISALLOW_USER)
        guard curl_url_set(handle, CURLUPART_URL, url, flags) == CURLUE_OK else { return nil }
        func part(_ part: CURLUPart) -> String? {
            var text: UnsafeMutablePointer<CChar>?
            let code = curl_url_get(handle, part, &text, UInt32(CURLU_DEFAULT_PORT))
            guard code == CURLUE_OK, let text else { return nil }
            defer { curl_free(text) }
            return String(cString: text)
        }
        guard let scheme = part(CURLUPART_SCHEME), let host = part(CURLUPART_HOST),
            let port = part(CURLUPART_PORT).flatMap({ Int($0) })
        else { return nil }
        (self.scheme, self.host, self.port) = (scheme, host.lowercased(), port)
    }

    var description: String { "\(scheme)://\(host):\(port)" }
}
