import Asking
import HTTP
import JSON
import JobFiles
import JobQueue
import Secrets

/// Seals secrets of a person's, so that they can be sent to the addresses of the job files that name them alone.
struct SecretSealer: Sendable {
    /// Where the secrets may be sent; empty: where the files of the tenant's jobs send them.
    var origins: [String]
    var files: [JobFile]
    /// Makes the key of a tenant that has none; nil means that a worker does.
    var keeper: KeyKeeper?

    /// Seals for a user, or for the tenant itself where that is nil.
    func sealing(
        _ secrets: [(name: String, value: SecretValue)], of user: String?
    ) -> Sealing {
        Sealing(makeKey: makeKey) { facts in
            guard let key = PublicKey(facts.publicKey) else { return [] }
            return try secrets.map { secret in
                let place = SecretPlace(
                    user: user, name: secret.name, origins: try origins(of: secret.name, facts))
                return (
                    name: secret.name, sealed: try Seal.make(secret.value, for: place, with: key)
                )
            }
        }
    }

    private var makeKey: (@Sendable (Int64) throws -> StoredKey)? {
        guard let keeper else { return nil }
        return { tenant in try keeper.newKey(ofTenant: tenant) }
    }

    private func origins(of secret: String, _ facts: Sealing.Facts) throws -> [String] {
        guard origins.isEmpty else { return origins }
        let attributes =
            (try? JSONDocument(parsing: Array(facts.attributes.utf8)).root.value) ?? .object([])
        let namers = files.filter {
            facts.jobs.contains($0.name) && $0.secretNames.contains(secret)
        }
        guard !namers.isEmpty else {
            throw Failure(
                .data,
                "no job of the tenant names secret \(quoted(secret)), by the job files here; give it its job first, or"
                    + " say where the secret may go: --origin https://api.example.com")
        }
        let addresses = try namers.flatMap { file in
            do throws(InputProblem) {
                let own = try file.resolved(for: attributes).file
                return own.addresses(ofSecret: secret, base: facts.bases[own.source.id])
            } catch {
                throw Failure(
                    .data,
                    "where job \(file.name) sends secret \(quoted(secret)) is not known: \(error.message); set it first, or"
                        + " say where the secret may go: --origin https://api.example.com")
            }
        }
        return Set(addresses.compactMap { Origin(url: $0)?.description }).sorted()
    }
}
