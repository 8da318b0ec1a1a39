import HTTP
import Serving

/// Who may ask `serve`, or a worker for its metrics: everybody on this machine; from elsewhere whoever has the token, or
/// comes from where the operator trusts.
struct ServeGate: Sendable {
    private let token: [UInt8]?
    private let proxyHeader: String?
    private let trusted: Networks?
    private let hosts: Set<String>
    private let address: ListenAddress

    /// Throws `Failure` for an address that others reach, where nothing says which of them may ask.
    init(_ settings: Settings, _ address: ListenAddress) throws {
        token = try settings.serveToken()
        proxyHeader = settings.serveProxyHeader
        trusted = try settings.networks(.serveTrusted)
        hosts = try settings.serveHosts()
        self.address = address
        guard address.isLoopback || token != nil || trusted != nil else {
            throw Failure(
                .configuration,
                "\(address) can be reached from elsewhere: set JOBRUNNER_SERVE_TOKEN_FILE, or name in"
                    + " JOBRUNNER_SERVE_TRUSTED the networks of those who need no token, or of a proxy that signs in"
            )
        }
    }

    /// Nil when the request may be answered.
    func refusal(of request: ServedRequest) -> ServedResponse? {
        guard isMeant(request) else {
            return ServedResponse(
                421, "expected a name of this server as Host; JOBRUNNER_SERVE_HOSTS names them\n")
        }
        // A probe has no token.
        if request.path == "/livez" || isTrusted(request) || hasToken(request) { return nil }
        return ServedResponse(401, "expected a token\n")
    }

    /// A browser that was led here by a name that somebody else owns says that name.
    ///
    /// Whoever says none is no browser.
    private func isMeant(_ request: ServedRequest) -> Bool {
        request.headers.filter { $0.name.lowercased() == "host" }.allSatisfy { field in
            let host = name(in: field.value)
            return host == "localhost" || host == "[::1]" || Self.loopback.contain(host)
                || host == request.own || host == address.host || hosts.contains(host)
        }
    }

    private static let loopback = (try? Networks("127.0.0.0/8")) ?? .none

    private func isTrusted(_ request: ServedRequest) -> Bool {
        // Where nothing is named, the proxy is on this machine.
        let isNear = (trusted ?? Self.loopback).contain(request.peer)
        if let proxyHeader { return isNear && !(request.header(proxyHeader) ?? "").isEmpty }
        return isNear && (trusted != nil || token == nil && address.isLoopback)
    }

    private func hasToken(_ request: ServedRequest) -> Bool {
        guard let token else { return false }
        let given = request.header("Authorization").map { Array($0.utf8) } ?? []
        return isSame(given, Array("Bearer ".utf8) + token)
    }

    /// Takes as long whatever is given, so that nobody learns the token byte by byte.
    private func isSame(_ given: [UInt8], _ expected: [UInt8]) -> Bool {
        var difference = given.count ^ expected.count
        for (place, byte) in expected.enumerated() {
            difference |= Int(byte ^ (place < given.count ? given[place] : 0))
        }
        return difference == 0
    }
}

/// What a `Host` names, without its port and in lower case.
private func name(in field: String) -> String {
    var host = field.prefix { $0 != ":" }
    if field.hasPrefix("["), let end = field.firstIndex(of: "]") { host = field[...end] }
    return host.lowercased()
}
