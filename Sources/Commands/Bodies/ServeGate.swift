import HTTP
import Serving

/// A token by which somebody asks `serve`, and what he is called.
struct ServeToken: Sendable, Equatable {
    let name: String
    let bytes: [UInt8]
}

/// Who may ask `serve`, or a worker for its metrics: everybody on this machine; from elsewhere whoever has a token, or
/// comes from where the operator trusts.
struct ServeGate: Sendable {
    /// What is known of whoever asks.
    enum Admission: Equatable {
        /// He does not mean this server.
        case refused(ServedResponse)
        /// He may ask; by this name, where a token or a proxy says it.
        case admitted(String?)
        /// Nothing says that he may ask.
        case stranger
    }

    private let tokens: [ServeToken]
    private let proxyHeader: String?
    private let trusted: Networks?
    private let hosts: Set<String>
    private let address: ListenAddress

    /// Throws `Failure` for an address that others reach, where nothing says which of them may ask.
    init(_ settings: Settings, _ address: ListenAddress) throws {
        tokens = try settings.serveTokens()
        proxyHeader = settings.serveProxyHeader
        trusted = try settings.networks(.serveTrusted)
        hosts = try settings.serveHosts()
        self.address = address
        guard address.isLoopback || !tokens.isEmpty || trusted != nil else {
            throw Failure(
                .configuration,
                "\(address) can be reached from elsewhere: set JOBRUNNER_SERVE_TOKEN_FILE, or name in"
                    + " JOBRUNNER_SERVE_TRUSTED the networks of those who need no token, or of a proxy that signs in"
            )
        }
    }

    /// Somebody can sign in with a token.
    var hasTokens: Bool { !tokens.isEmpty }

    /// Nil when the request may be answered.
    func refusal(of request: ServedRequest) -> ServedResponse? {
        switch admission(of: request) {
        case .refused(let response): response
        case .admitted: nil
        // A probe has no token.
        case .stranger: request.path == "/livez" ? nil : ServedResponse(401, "expected a token\n")
        }
    }

    /// Whether a request may be answered, and who asks.
    func admission(of request: ServedRequest) -> Admission {
        guard isMeant(request) else {
            return .refused(
                ServedResponse(
                    421,
                    "expected a name of this server as Host; JOBRUNNER_SERVE_HOSTS names them\n"))
        }
        let given = request.header("Authorization") ?? ""
        if let name = name(ofToken: given.hasPrefix("Bearer ") ? String(given.dropFirst(7)) : "") {
            return .admitted(name)
        }
        // Where nothing is named, the proxy is on this machine.
        let isNear = (trusted ?? Self.loopback).contain(request.peer)
        if let proxyHeader {
            // Of two the proxy has written one, and nobody knows which.
            let names = request.headers.filter {
                $0.name.lowercased() == proxyHeader.lowercased()
            }.map(\.value)
            let name = names.count == 1 ? names[0] : ""
            return isNear && !name.isEmpty ? .admitted(name) : .stranger
        }
        let isOpen = isNear && (trusted != nil || tokens.isEmpty && address.isLoopback)
        return isOpen ? .admitted(nil) : .stranger
    }

    /// Whose token that is; nil when it is nobody's.
    ///
    /// Takes as long whatever is given, so that nobody learns a token byte by byte.
    func name(ofToken given: String) -> String? {
        let given = Array(given.utf8)
        var name: String?
        for token in tokens {
            var difference = given.count ^ token.bytes.count
            for (place, byte) in token.bytes.enumerated() {
                difference |= Int(byte ^ (place < given.count ? given[place] : 0))
            }
            if difference == 0 { name = token.name }
        }
        return name
    }

    /// A browser that was led here by a name that somebody else owns says that name.
    ///
    /// Whoever says none is no browser.
    private func isMeant(_ request: ServedRequest) -> Bool {
        request.headers.filter { $0.name.lowercased() == "host" }.allSatisfy { field in
            let host = Commands.name(in: field.value)
            return host == "localhost" || host == "[::1]" || Self.loopback.contain(host)
                || host == request.own || host == address.host || hosts.contains(host)
        }
    }

    private static let loopback = (try? Networks("127.0.0.0/8")) ?? .none
}

/// What a `Host` names, without its port and in lower case.
private func name(in field: String) -> String {
    var host = field.prefix { $0 != ":" }
    if field.hasPrefix("["), let end = field.firstIndex(of: "]") { host = field[...end] }
    return host.lowercased()
}
