public import HTTP
import JobQueue

/// What came of asking for an asset.
public enum Download: Sendable {
    case came(HTTPResponse)
    /// It can't be had, however often it is asked for; the reason has few words.
    case refused(String)
}

/// Another attempt would end in the same way.
private struct DownloadRefusal: Error {
    let reason: String
}

extension SourceSession {
    /// Asks for an asset at an address that a record names, without any credential.
    ///
    /// It is the run's request like any other: within the deadline and the source's budget, tried again where the rule says
    /// so, its body within the client's limits. Only the source itself is asked, and hosts that the dialect names, these by
    /// https: a record must lead nowhere else. A redirect that leaves the asset's origin is not followed. Throws `RunEnd`
    /// for a failure that may pass.
    public func download(_ address: String) async throws -> Download {
        guard let origin = Origin(url: address) else { return .refused("asset without an address") }
        guard mayAsk(origin) else { return .refused("asset at \(origin.host), which is not asked") }
        do {
            let answer = try await sendUntilAnswered(retries: true, isSigned: false) {
                HTTPRequest(url: address)
            }
            switch answer.response.status {
            case 200: return .came(answer.response)
            case 404, 410: return .refused("asset answered with \(answer.response.status)")
            default:
                throw classified(
                    status: answer.response.status,
                    of: requestLabel(HTTPRequest(url: address)), excerpt: "", hasCredential: false)
            }
        } catch let refusal as DownloadRefusal {
            return .refused(refusal.reason)
        }
    }

    private func mayAsk(_ origin: Origin) -> Bool {
        if origin == Origin(url: base) { return true }
        return origin.scheme == "https"
            && dialect?.assetHosts.contains { origin.host.hasSuffix($0) } ?? false
    }

    /// One attempt; what no other attempt can change is the asset's own.
    func download(_ request: HTTPRequest) async throws -> HTTPResponse {
        do {
            return try await answered(request)
        } catch let error as HTTPError {
            switch error {
            case .tooLarge: throw DownloadRefusal(reason: "asset larger than an answer may be")
            case .redirectRefused, .tooManyRedirects:
                throw DownloadRefusal(reason: "asset that is redirected")
            case .addressRefused, .addressNotPublic, .invalidRequest, .badEncoding:
                throw DownloadRefusal(reason: "asset that can't be asked for: \(error)")
            default: throw error
            }
        }
    }
}
