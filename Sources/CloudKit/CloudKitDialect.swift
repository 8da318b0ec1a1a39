import JSON
import JobFiles

/// Apple's CloudKit Web Services as a source: signing, errors inside answers, deleted records, zones,
/// accounts, pushes.
///
/// `Preset.swift` makes it what `Asking` calls a dialect. Section numbers in this room are those of the
/// project's CloudKit reference.
public struct CloudKitDialect: Sendable {
    let address: CloudKitAddress
    let authentication: Authentication

    /// The path of an operation, such as `records/modify`.
    func path(_ operation: String) -> String { "\(address.path)/\(operation)" }
}

/// A zone by its name, and by its owner where that is not whoever asks.
func zoneID(_ zone: String, owner: String? = nil) -> JSONValue {
    .object(
        [JSONMember("zoneName", .string(zone))]
            + (owner.map { [JSONMember("ownerRecordName", .string($0))] } ?? []))
}
