public import Postgres
public import JobQueue
public import Secrets
public import Telemetry

/// The opened secrets of one run, and what the source replaces them with meanwhile (MS27).
///
/// A replaced one is stored with the page it came with, or before the next request: the old one may be
/// worth nothing any more.
public final class Credentials {
    private struct Rotation {
        var old: SealedSecret
        var new: [UInt8]
    }

    private let tenantID: Int64
    private let sealer: Sealer?
    private let queue: Queue
    private let proof: [Statement]
    private let deadline: ContinuousClock.Instant
    /// By name, as this run last knew them.
    private var sealed: [String: SealedSecret] = [:]
    private(set) var secrets: [String: SecretValue] = [:]
    private var rotation: Rotation?
    private var openedSecrets: [[UInt8]] = []
    private var latestSecrets: [[UInt8]] = []

    /// Keeps the run's secrets out of whatever leaves it.
    public private(set) var redactor = Redactor(secrets: [])
    /// A replaced credential was stored without a page.
    public private(set) var hasStored = false

    /// Opens nothing yet.
    ///
    /// `proof` stands before what stores a credential; empty where no claim is held, as in a dry run:
    /// `rotate_secret` itself replaces only the credential that was sent.
    public init(
        ofTenant tenantID: Int64, _ sealer: Sealer?, _ queue: Queue, proof: [Statement],
        deadline: ContinuousClock.Instant
    ) {
        self.tenantID = tenantID
        self.sealer = sealer
        self.queue = queue
        self.proof = proof
        self.deadline = deadline
    }

    /// Opens what the job file names.
    ///
    /// Throws `RunEnd.needsReauth`: a secret that does not open parks its job and no other.
    public func open(_ sealedSecrets: [SealedSecret]) throws {
        for sealed in sealedSecrets.sorted(by: { $0.userID < $1.userID }) {
            guard let sealer else {
                throw RunEnd.needsReauth(message: "secrets exist, but there is no key file")
            }
            do {
                let secret = try sealer.open(sealed.sealed, for: place(of: sealed))
                secrets[sealed.name] = secret
                self.sealed[sealed.name] = sealed
                openedSecrets.append(secret.withBytes { Array($0) })
            } catch {
                throw RunEnd.needsReauth(message: "secret '\(sealed.name)': \(error)")
            }
        }
        redactor = Redactor(secrets: openedSecrets)
    }

    /// Whether a secret of the name is set.
    public func has(_ name: String) -> Bool { secrets[name] != nil }

    /// A replaced credential waits for a transaction that stores it.
    public var hasUnstored: Bool { rotation != nil }

    /// What stores the replaced credential in the transaction of a page.
    public var statements: [Statement] {
        guard let rotation else { return [] }
        return [
            Statement(
                "select jobrunner.rotate_secret($1, $2, $3, $4, $5)", .int8(tenantID),
                .int8(rotation.old.userID), .text(rotation.old.name), .bytes(rotation.old.sealed),
                .bytes(rotation.new))
        ]
    }

    /// A transaction with `statements` in it was committed.
    public func noteStored() { rotation = nil }

    /// At the end of a run, however it ended; returns why the credential could not be stored.
    public func storeAtEnd() async -> (any Error)? {
        guard rotation != nil else { return nil }
        let statements = proof + statements
        let queue = queue
        // A run that was cancelled at its deadline still has the claim, for as long as it is not
        // finished.
        let stored = await Task {
            try await queue.turn(statements, deadline: .now + .seconds(5))
        }.result
        if case .failure(let error) = stored { return error }
        hasStored = true
        return nil
    }

    /// Stores a credential that came without a page; before it is used.
    func store() async throws {
        guard rotation != nil else { return }
        _ = try await queue.turn(proof + statements, deadline: deadline)
        hasStored = true
        rotation = nil
    }

    /// Takes a credential out of an answer; the next request is signed with it.
    func replace(with credential: NewCredential) throws {
        guard let sealer, let old = rotation?.old ?? sealed[credential.name] else { return }
        let value = SecretValue(Array(credential.value.utf8))
        let new = sealer.seal(value, for: place(of: old))
        rotation = Rotation(old: old, new: new)
        sealed[credential.name]?.sealed = new
        protect(Array(credential.value.utf8))
        secrets[credential.name] = value
    }

    /// Keeps a secret that came during the run out of whatever leaves it.
    ///
    /// Of those that replaced each other the latest few: an answer may repeat what was just sent.
    func protect(_ secret: [UInt8]) {
        guard !openedSecrets.contains(secret), !latestSecrets.contains(secret) else { return }
        latestSecrets = latestSecrets.suffix(3) + [secret]
        redactor = Redactor(secrets: openedSecrets + latestSecrets)
    }

    private func place(of secret: SealedSecret) -> SecretPlace {
        SecretPlace(tenantID: tenantID, userID: secret.userID, name: secret.name)
    }
}
