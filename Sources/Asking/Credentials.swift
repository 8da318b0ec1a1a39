import Basics
public import Postgres
public import JobQueue
public import Reading
public import Secrets
public import Telemetry

/// The opened secrets of one run, and what the source replaces them with meanwhile.
///
/// A replaced one is stored with the page it came with, or before the next request: the old one may be
/// worth nothing any more.
public final class Credentials {
    private struct Rotation {
        var old: SealedSecret
        var new: [UInt8]
    }

    let tenantID: Int64
    private let userID: Int64
    private let sealer: Sealer?
    private let queue: Queue
    private let deadline: ContinuousClock.Instant
    /// Those that the job file names: no other is opened.
    private let names: Set<String>
    /// By name, as this run last knew them.
    private var sealed: [String: SealedSecret] = [:]
    private(set) var secrets: [String: SecretValue] = [:]
    private var rotation: Rotation?
    /// Gives back the turn to use a credential, for a run whose end does not: a dry one.
    var ending: Statement?
    private var openedSecrets: [[UInt8]] = []
    private var latestSecrets: [[UInt8]] = []
    /// What records of the latest answer bring that brings something.
    private var broughtSecrets: [[UInt8]] = []
    /// Secrets that this run has sealed for pages, by name: they are stored if their pages are.
    private var broughtSealed: [String: (bytes: [UInt8], sealed: [UInt8])] = [:]

    /// Keeps the run's secrets out of whatever leaves it.
    public private(set) var redactor = Redactor(secrets: [])
    /// Versions of the secrets as this run last read them, opened or not: what is stored beside them came
    /// too late for it.
    public private(set) var versions: [Int64] = []
    /// A replaced credential was stored without a page.
    public private(set) var hasStored = false

    /// Opens nothing yet; `names` are the secrets that the job file names.
    public init(
        of claim: Claim, tenant tenantID: Int64, names: [String], _ sealer: Sealer?,
        _ queue: Queue, deadline: ContinuousClock.Instant
    ) {
        self.names = Set(names)
        self.tenantID = tenantID
        userID = claim.userID
        self.sealer = sealer
        self.queue = queue
        self.deadline = deadline
    }

    /// Opens what the job file names.
    ///
    /// Throws `RunEnd.deferred` where the worker's key file is missing or another, which is no user's matter,
    /// and `needsReauth` for a secret that no key opens: it parks its job and no other.
    public func open(_ sealedSecrets: [SealedSecret]) throws {
        versions = sealedSecrets.map(\.version)
        for sealed in inForce(sealedSecrets) {
            guard let sealer else { throw Self.locked("secrets exist, but there is no key file") }
            do {
                let secret = try sealer.open(sealed.sealed, for: owner(of: sealed))
                secrets[sealed.name] = secret
                self.sealed[sealed.name] = sealed
                openedSecrets.append(secret.withBytes { Array($0) })
            } catch {
                let message = "secret '\(sealed.name)': \(error)"
                if case .wrongKey = error { throw Self.locked(message) }
                throw RunEnd.needsReauth(message: message)
            }
        }
        makeRedactor()
    }

    /// Those that the job file names.
    ///
    /// The user's takes the place of the tenant's own of the same name, which need not even open then. Nothing is no
    /// secret, whoever has stored it.
    private func inForce(_ stored: [SealedSecret]) -> [SealedSecret] {
        var found: [String: SealedSecret] = [:]
        for secret in stored.sorted(by: { $0.userID < $1.userID })
        where names.contains(secret.name) && secret.sealed.count != Sealer.overheadBytes {
            found[secret.name] = secret
        }
        return found.values.sorted { $0.name < $1.name }
    }

    private func makeRedactor() {
        redactor = Redactor(secrets: openedSecrets + latestSecrets + broughtSecrets)
    }

    private static func locked(_ message: String) -> RunEnd {
        .deferred(.noKey, message: message, wait: .seconds(60))
    }

    /// Takes over the secrets as they are stored now; returns whether any differs.
    ///
    /// Throws as `open` does.
    @discardableResult func adopt(_ stored: [SealedSecret]) throws -> Bool {
        let before = sealed
        sealed = [:]
        secrets = [:]
        try open(stored)
        return sealed != before
    }

    /// Reads the secrets again after the source refused one; returns whether any differs.
    func readAgain() async throws -> Bool {
        guard rotation == nil, !sealed.isEmpty else { return false }
        return try adopt(
            await queue.readSecrets(tenant: tenantID, user: userID, deadline: deadline))
    }

    /// Every secret that the job file names is set, and none is the user's own: no user can mend them.
    public var areTenants: Bool {
        !names.isEmpty && names.allSatisfy { sealed[$0]?.userID == 0 }
    }

    /// Those of the names that are set, as this run last knew them.
    func known(_ names: [String]) -> [SealedSecret] { names.compactMap { sealed[$0] } }

    /// Whether a secret of the name is set.
    public func has(_ name: String) -> Bool { secrets[name] != nil }

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
    public func markStored() { rotation = nil }

    /// At the end of a run, however it ended; returns why the credential could not be stored.
    ///
    /// A run that has lost its claim stores it too: `rotate_secret` replaces only the one that was sent.
    public func storeAtEnd() async -> (any Error)? {
        let statements = statements + (ending.map { [$0] } ?? [])
        guard !statements.isEmpty else { return nil }
        do {
            try await storeWhateverHappens(statements)
            return nil
        } catch {
            return error
        }
    }

    /// Stores a credential that came without a page; before it is used.
    func store() async throws {
        guard rotation != nil else { return }
        _ = try await queue.turn(statements, deadline: deadline)
        markStoredAlone()
    }

    /// Stores a renewed credential together with the end of its renewal, whatever becomes of the run.
    func store(with ending: Statement) async throws {
        try await storeWhateverHappens(statements + [ending])
    }

    /// Neither the deadline nor a stop of the run ends this: the old credential may be spent.
    private func storeWhateverHappens(_ statements: [Statement]) async throws {
        let queue = queue
        _ = try await Task { try await queue.turn(statements, deadline: .now + .seconds(5)) }.value
        if rotation != nil { markStoredAlone() }
    }

    private func markStoredAlone() {
        hasStored = true
        rotation = nil
    }

    /// Takes a credential out of an answer; the next request is signed with it.
    ///
    /// Throws `RunEnd` malformed, and keeps the one that is stored, where the new one can be none.
    func replace(with credential: NewCredential) throws {
        guard let sealer, let old = rotation?.old ?? sealed[credential.name] else { return }
        if let fault = CredentialForm.token.fault(of: credential.value.utf8) {
            throw RunEnd.failed(
                .malformed, "the source's new secret '\(credential.name)' \(fault)")
        }
        let value = SecretValue(Array(credential.value.utf8))
        let new = sealer.seal(value, for: owner(of: old))
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
        makeRedactor()
    }

    /// Keeps what the records of an answer bring out of whatever leaves the run, until another answer brings something.
    public func protect(brought secrets: Set<[UInt8]>) {
        guard !secrets.isEmpty else { return }
        broughtSecrets = Array(secrets)
        makeRedactor()
    }

    /// Throws `RunEnd.deferred` where nothing could be sealed.
    public func checkKey() throws {
        if sealer == nil { throw Self.locked("records bring secrets, but there is no key file") }
    }

    /// Seals what the records of a page bring: what opens the page's transaction, and what stores it there; nothing where
    /// they bring nothing.
    ///
    /// Throws as `checkKey` does.
    public func bring(
        _ values: [BroughtValue], to job: String
    ) throws -> (opening: [Statement], storing: [Statement]) {
        guard !values.isEmpty else { return ([], []) }
        try checkKey()
        let opening = Statement(
            "select jobrunner.hold_secrets($1, $2, $3)", .int8(tenantID), .int8(userID), .text(job))
        return ([opening], values.compactMap { statement(bringing: $0, to: job) })
    }

    private func statement(bringing value: BroughtValue, to job: String) -> Statement? {
        guard let sealer else { return nil }
        let owner = SecretOwner(tenantID: tenantID, userID: userID, name: value.name)
        protect(value.bytes)
        let new = sealedSame(as: value) ?? sealer.seal(SecretValue(value.bytes), for: owner)
        broughtSealed[value.name] = (value.bytes, new)
        return Statement(
            "select jobrunner.bring_secret($1, $2, $3, $4, $5, $6)", .int8(tenantID),
            .int8(userID), .text(job), .text(value.name), .bytes(new),
            .optional(value.changedAt, Bind.timestamptz))
    }

    /// The user's own secret of that name as it stands sealed, where it holds this very value as far as the run knows.
    private func sealedSame(as value: BroughtValue) -> [UInt8]? {
        if let own = broughtSealed[value.name] {
            return own.bytes == value.bytes ? own.sealed : nil
        }
        guard let stored = sealed[value.name], stored.userID == userID,
            secrets[value.name]?.withBytes({ $0.elementsEqual(value.bytes) }) == true
        else { return nil }
        return stored.sealed
    }

    private func owner(of secret: SealedSecret) -> SecretOwner {
        SecretOwner(tenantID: tenantID, userID: secret.userID, name: secret.name)
    }
}
