import Postgres
import Queue
import Secrets
import Telemetry

/// A secret that the source replaced, sealed and ready to be stored.
struct Rotation: Sendable {
    var old: SealedSecret
    var new: [UInt8]
}

// Credentials that a source replaces while it is asked (MS27): stored with the page they came with,
// or before the next request.
extension Run {
    /// Takes a credential out of an answer; the next request is signed with it.
    func note(_ credential: NewCredential) throws {
        guard let sealer = services.sealer, let old = rotation?.old ?? sealed[credential.name]
        else {
            return
        }
        let place = SecretPlace(
            tenantID: inputs.job.tenantID, userID: old.userID, name: old.name)
        let value = SecretValue(Array(credential.value.utf8))
        rotation = Rotation(old: old, new: sealer.seal(value, for: place))
        sealed[credential.name]?.sealed = rotation?.new ?? old.sealed
        protect(Array(credential.value.utf8))
        values.secrets[credential.name] = value
    }

    /// Keeps a secret that came during the run out of whatever leaves it.
    ///
    /// Of those that replaced each other the latest few: an answer may repeat what was just sent.
    func protect(_ secret: [UInt8]) {
        guard !openedSecrets.contains(secret), !latestSecrets.contains(secret) else { return }
        latestSecrets = latestSecrets.suffix(3) + [secret]
        redactor = Redactor(secrets: openedSecrets + latestSecrets)
    }

    /// What stores the credential in the transaction of a page.
    var rotationStatements: [Statement] {
        guard let rotation else { return [] }
        return [
            Statement(
                "select jobrunner.rotate_secret($1, $2, $3, $4, $5)", .int8(inputs.job.tenantID),
                .int8(rotation.old.userID), .text(rotation.old.name), .bytes(rotation.old.sealed),
                .bytes(rotation.new))
        ]
    }

    /// A dry run holds no claim: `rotate_secret` itself replaces only the credential that was sent.
    private var proof: [Statement] {
        rehearsal == nil ? [inputs.job.claim.holdStatement] : []
    }

    /// Stores a credential that came without a page; before it is used.
    func storeRotation() async throws {
        guard rotation != nil else { return }
        _ = try await services.queue.turn(proof + rotationStatements, deadline: deadline)
        rehearsal?.hasStoredCredential = true
        rotation = nil
    }

    /// At the end of a run, however it ended: the old credential may be worth nothing any more.
    func storeRotation(after end: RunEnd?) async {
        guard rotation != nil, end != .lost else { return }
        let statements = proof + rotationStatements
        let queue = services.queue
        // A run that was cancelled at its deadline still has the claim, for as long as it is not
        // finished.
        let stored = await Task {
            try await queue.turn(statements, deadline: .now + .seconds(5))
        }.result
        switch stored {
        case .success: rehearsal?.hasStoredCredential = true
        case .failure(let error):
            services.log.emit(
                .callWarned(
                    subject, call: "rotate_secret", error: redactor.sanitised("\(error)")))
        }
    }
}
