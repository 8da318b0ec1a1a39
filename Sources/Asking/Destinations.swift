import HTTP
import JobFiles
import Secrets

/// Where a run sends each of its secrets, and what the seals say to it.
struct Destinations: Sendable {
    private let use: SecretUse
    private let source: Source
    private let base: String

    /// Of a job file as a run has it, at the tenant's own address where there is one.
    init(of use: SecretUse, _ source: Source, at base: String) {
        self.use = use
        self.source = source
        self.base = base
    }

    /// Why the secret of a seal may not be used as the job uses it, to follow its name; nil when it may.
    func refusal(of place: SecretPlace) -> String? {
        let addresses = use.addresses(of: place.name, source, at: base)
        // A job that sends it nowhere is the one that brings it, or only wants to know that it is there.
        if addresses.isEmpty { return nil }
        let giver = source.secrets.first { $0.name == place.name }?.from
        if let entity = place.broughtBy, entity != giver {
            return "was brought by \(entity), and the job takes it from "
                + (giver ?? "nobody but a person") + " (source.secrets)"
        }
        let allowed = Set(place.origins.compactMap { Origin(url: $0) })
        for address in addresses {
            guard let origin = Origin(url: address), allowed.contains(origin) else {
                let known = allowed.map(\.description).sorted().joined(separator: ", ")
                return
                    "may be sent to \(known.isEmpty ? "nobody" : known), and the job would send it to "
                    + (Origin(url: address)?.description ?? "an address that is none")
            }
        }
        return nil
    }
}
