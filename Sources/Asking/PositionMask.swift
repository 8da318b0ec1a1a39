public import JobFiles
import HTTP
import JobQueue
import Secrets
import Telemetry

/// Keeps the secrets of a request out of the positions that are stored of its pages.
///
/// A next address may repeat what was sent. It is kept with `{secret.name}` in place of the secret, and asked for with the
/// secret as it is then.
public struct PositionMask {
    /// A shorter secret stands in many a token by chance.
    private static let soughtBytesMin = 8

    private let names: [String]
    private let isAddress: Bool

    /// For the pages of an entity.
    public init(of entity: Entity) {
        names = entity.page.isOfSource ? entity.requests.flatMap(\.shownSecretNames) : []
        isAddress = entity.page.continuesByAddress
    }

    /// The position as it may be stored.
    ///
    /// Throws `RunEnd` malformed where it holds a secret in a form that can't be taken out, such as within a token.
    public func masked(_ position: String, _ credentials: Credentials) throws -> String {
        guard !names.isEmpty else { return position }
        var text = position
        let secrets = secrets(credentials)
        if isAddress {
            for (name, secret) in secrets {
                for form in Self.forms(of: secret) {
                    text = text.replacing(form, with: Self.mark(name))
                }
            }
        }
        // A position that ends as a secret begins is none: the blank ends it.
        let whole = text + " "
        let sought = secrets.map { Array($0.1.utf8) }.filter { $0.count >= Self.soughtBytesMin }
        guard Redactor(secrets: sought).redacted(whole) == whole else {
            throw RunEnd.failed(
                .malformed,
                "the position of the next page repeats a secret that the request sends, and is not stored"
            )
        }
        return text
    }

    /// The position as it is asked for.
    public func unmasked(_ position: String, _ credentials: Credentials) -> String {
        guard isAddress, !names.isEmpty else { return position }
        return secrets(credentials).reduce(position) { text, secret in
            text.replacing(Self.mark(secret.0), with: percentEncode(queryValue: secret.1))
        }
    }

    /// As sources write a value into an address.
    private static func forms(of secret: String) -> [String] {
        let encoded = percentEncode(queryValue: secret)
        let lower = encoded.split(separator: "%", omittingEmptySubsequences: false).enumerated()
            .map { $0 == 0 ? String($1) : $1.prefix(2).lowercased() + $1.dropFirst(2) }
            .joined(separator: "%")
        return [
            encoded, lower, encoded.replacing("%20", with: "+"), lower.replacing("%20", with: "+"),
            secret,
        ]
    }

    private static func mark(_ name: String) -> String { "{secret.\(name)}" }

    /// The longest first: one may be a part of another.
    private func secrets(_ credentials: Credentials) -> [(String, String)] {
        names.compactMap { name in
            credentials.secrets[name].map { secret in
                (name, secret.withBytes { String(decoding: $0, as: UTF8.self) })
            }
        }.filter { $0.1.utf8.count >= Redactor.secretBytesMin }
            .sorted { $0.1.utf8.count > $1.1.utf8.count }
    }
}

extension Page {
    /// Its positions are in the source's words.
    fileprivate var isOfSource: Bool {
        switch style {
        case .token, .nextURL, .linkHeader, .keyset(.body, _), .syncToken: true
        case .single, .offset, .number, .keyset(.field, _): false
        }
    }
}
