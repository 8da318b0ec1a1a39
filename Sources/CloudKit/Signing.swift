import Basics
import COpenSSL
public import HTTP
import JobFiles
public import Asking
import JobQueue
import Reading
import Secrets

extension CloudKitDialect {
    /// Signs with the server's key, or adds API token and web auth token to the address; never both.
    ///
    /// A signed request without a body becomes a POST of `{}`. Throws `RunEnd.needsReauth` when a
    /// secret is missing or is no key.
    public func signed(
        _ request: HTTPRequest, with secrets: SourceSecrets, unixSeconds: Int
    ) throws -> HTTPRequest {
        switch authentication {
        case .cloudkitServer(let keyID, let privateKey):
            guard
                let key = SigningKey(
                    pem: try secrets.text(privateKey), kinds: [.p256])
            else {
                throw RunEnd.needsReauth(message: "\(label(privateKey)) \(noKey)")
            }
            return try signed(
                request, keyID: try secrets.text(keyID), key: key, unixSeconds: unixSeconds)
        case .cloudkitUser(let apiToken, let webAuthToken, _):
            let token = try secrets.text(ofSecret: webAuthToken)
            let query =
                "ckAPIToken=\(percentEncode(queryValue: try secrets.text(apiToken)))"
                + "&ckWebAuthToken=\(percentEncode(queryValue: token))"
            var request = request
            request.url += (request.url.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + query
            return request
        case .none, .basic, .bearer, .header, .query, .oauth2Client, .oauth2Refresh,
            .oauth2Password, .oauth2JWT, .session:
            return request
        }
    }

    /// The web auth token of users whose token rotates.
    public var rotatingSecret: String? {
        guard case .cloudkitUser(_, let name, rotates: true) = authentication else { return nil }
        return name
    }

    /// The web auth token that an answer brings, for users whose token rotates; it may be
    /// the one that was sent.
    ///
    /// An answer that refuses the token replaces nothing.
    public func newCredential(in response: HTTPResponse) -> NewCredential? {
        guard case .cloudkitUser(_, let name, rotates: true) = authentication,
            response.status != 401, response.status != 421
        else { return nil }
        let values = ["X-Apple-CloudKit-Web-Auth-Token", "X-Apple-CloudKit-Session"]
            .compactMap { response.header($0) }
        return values.first { !$0.isEmpty }.map { NewCredential(name: name, value: $0) }
    }

    private func signed(
        _ request: HTTPRequest, keyID: String, key: borrowing SigningKey, unixSeconds: Int
    ) throws -> HTTPRequest {
        var request = request
        if request.body?.isEmpty ?? true {
            // Sources disagree on how no body is hashed.
            request.method = "POST"
            request.body = Array("{}".utf8)
            request.headers.append(HTTPHeader("Content-Type", "application/json"))
        }
        let date = Timestamp.iso8601(Int64(unixSeconds) * 1_000_000)
        let message = signedMessage(date: date, body: request.body ?? [], url: request.url)
        guard let message, let signature = key.signature(of: Array(message.utf8)) else {
            throw RunEnd.needsReauth(message: "OpenSSL can't sign with the private key")
        }
        request.headers += [
            HTTPHeader("X-Apple-CloudKit-Request-KeyID", keyID),
            HTTPHeader("X-Apple-CloudKit-Request-ISO8601Date", date),
            HTTPHeader("X-Apple-CloudKit-Request-SignatureV1", Base64.encode(signature)),
        ]
        return request
    }

    private func label(_ privateKey: Template) -> String {
        if case .secret(let name) = privateKey.lonePlaceholder { return "secret '\(name)'" }
        return "the source's private_key"
    }

    private var noKey: String {
        "is no unencrypted private key on curve P-256 in PEM form, as "
            + "`openssl ecparam -name prime256v1 -genkey -noout` makes it"
    }
}

/// What a server's key signs: date, hash of the body's bytes, and the path from `/database/` on,
/// whatever prefix the base has, without the query; nil when OpenSSL can't hash.
func signedMessage(date: String, body: [UInt8], url: String) -> String? {
    let address = String(
        decoding: url.utf8.prefix { !"?#".utf8.contains($0) }, as: UTF8.self)
    let path =
        address.firstRange(of: "/database/").map { String(address[$0.lowerBound...]) } ?? address
    return hash(body).map { "\(date):\($0):\(path)" }
}

/// SHA-256 in base64; nil when OpenSSL can't.
func hash(_ bytes: [UInt8]) -> String? {
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    guard EVP_Digest(bytes, bytes.count, &digest, &count, EVP_sha256(), nil) == 1 else {
        return nil
    }
    return Base64.encode(Array(digest.prefix(Int(count))))
}
