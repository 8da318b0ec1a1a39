/// Who sent a request, after the credentials were checked.
struct CloudCaller {
    /// Nil for the world.
    let user: String?
    /// The token to rotate, when a user's session was used.
    var webToken: String?
    /// A server's key signed it.
    var isServer = false

    static let keyHeader = "X-Apple-CloudKit-Request-KeyID"
    private static let dateHeader = "X-Apple-CloudKit-Request-ISO8601Date"
    private static let signatureHeader = "X-Apple-CloudKit-Request-SignatureV1"

    /// A key acts as a user of its own.
    static func pseudoUser(_ keyID: String) -> String { "_key_" + keyID.prefix(16) }

    static func identify(
        _ request: Request, _ path: CloudPath, _ container: CloudContainer?
    ) throws(CloudError) -> CloudCaller {
        // An unknown container looks like any other broken credential.
        guard let container else { throw .authenticationFailed }
        let apiToken = request.query("ckAPIToken")
        if let keyID = request.header(keyHeader) {
            guard apiToken == nil, isSigned(request, keyID, container) else {
                throw .authenticationFailed
            }
            guard path.database == .public, !path.operation.isAboutUsers else {
                throw CloudError(
                    "ACCESS_DENIED", "server-to-server keys reach the public database only")
            }
            return CloudCaller(user: pseudoUser(keyID), isServer: true)
        }
        guard let apiToken, container.apiTokens.contains(apiToken) else {
            throw .authenticationFailed
        }
        guard let webToken = request.query("ckWebAuthToken") else {
            guard path.database == .public, !path.operation.isAboutUsers else {
                throw required(container)
            }
            if path.operation == .modify {
                throw CloudError("ACCESS_DENIED", "the world may read only")
            }
            return CloudCaller(user: nil)
        }
        guard let user = container.sessions.user(webToken) else { throw required(container) }
        return CloudCaller(user: user, webToken: webToken)
    }

    private static func required(_ container: CloudContainer) -> CloudError {
        var error = CloudError("AUTHENTICATION_REQUIRED", "request needs authorization")
        error.redirectURL =
            "https://idmsa.apple.com/IDMSWebAuth/auth?container=\(percentEncoded(container.key.name))"
        return error
    }

    private static func isSigned(
        _ request: Request, _ keyID: String, _ container: CloudContainer
    ) -> Bool {
        let settings = container.settings
        guard let pem = container.serverKeys[keyID], let date = request.header(dateHeader),
            let signature = request.header(signatureHeader), let time = parseISO8601(date),
            date.utf8.count == 20, date.hasSuffix("Z"),
            abs(time - (settings.signatureNow ?? wallClock())) <= CloudSignature.window
        else { return false }
        var path = request.path
        if settings.signedPath == .query, !request.queries.isEmpty {
            let pairs = request.queries.map { "\(percentEncoded($0.0))=\(percentEncoded($0.1))" }
            path += "?" + pairs.joined(separator: "&")
        }
        var hashes = [CloudSignature.hash(request.body)]
        if request.body.isEmpty {
            switch settings.emptyBody {
            case .hash: break
            case .empty: hashes = [""]
            case .both: hashes.append("")
            }
        }
        return hashes.contains {
            CloudSignature.isValid(signature, of: "\(date):\($0):\(path)", publicKey: pem)
        }
    }
}
