public import JobFiles
import HTTP
import Secrets
import Telemetry

/// Keeps what the source is sent out of the addresses that are stored of its pages.
///
/// A next address may repeat a secret. It is kept with `{secret.name}` in its place, and asked for with the secret as it
/// is then. Only secrets that the source is sent anyway are put back: it may write the mark itself.
public struct PositionMask {
    private let names: [String]

    /// For the pages of an entity of the source.
    public init(of entity: Entity, _ source: Source) {
        names =
            entity.page.continuesByAddress
            ? source.sentSecretNames + entity.requests.flatMap(\.secretNames) : []
    }

    /// The position as it may be stored, as far as it can be told apart from what it repeats.
    public func masked(_ position: String, _ credentials: Credentials) -> String {
        secrets(credentials).reduce(position) { text, secret in
            Self.forms(of: secret.1).reduce(text) {
                $0.replacing($1, with: Self.mark(secret.0))
            }
        }
    }

    /// The position as it is asked for.
    public func unmasked(_ position: String, _ credentials: Credentials) -> String {
        secrets(credentials).reduce(position) { text, secret in
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
        Set(names).compactMap { name in
            credentials.secrets[name].map { secret in
                (name, secret.withBytes { String(decoding: $0, as: UTF8.self) })
            }
        }.filter { $0.1.utf8.count >= Redactor.secretBytesMin }
            .sorted { ($0.1.utf8.count, $0.0) > ($1.1.utf8.count, $1.0) }
    }
}
