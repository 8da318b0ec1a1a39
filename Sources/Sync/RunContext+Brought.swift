import Asking
import HTTP
import JobFiles
import JobQueue
import JSON
import Postgres
import Reading

extension RunContext {
    /// Seals what the records of a page bring, so that it can be sent where the files go that take it, and nowhere else.
    ///
    /// A file's address is the tenant's own where it has one, and the user's where an attribute stands in it.
    func bring(
        _ values: [BroughtValue], by entity: String
    ) async throws -> (opening: [Statement], storing: [Statement]) {
        guard !values.isEmpty else { return ([], []) }
        let giver = "\(inputs.file.name).\(entity)"
        let bases = try await ask {
            try await $0.bases(ofTenant: inputs.job.tenantID, deadline: deadline)
        }
        return try session.credentials.bring(
            values, by: giver, to: inputs.job.claim.name,
            origins: { origins(of: $0, from: giver, bases) })
    }

    private func origins(
        of secret: String, from giver: String, _ bases: [String: String]
    ) -> [String] {
        let addresses = services.tools.takers.filter { file in
            file.source.secrets.contains { $0.name == secret && $0.from == giver }
        }
        .compactMap { try? $0.resolved(for: inputs.job.attributes).file }
        .flatMap { $0.addresses(ofSecret: secret, base: bases[$0.source.id]) }
        return Set(addresses.compactMap { Origin(url: $0)?.description }).sorted()
    }
}
