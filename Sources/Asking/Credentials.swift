import Basics
public import Postgres
public import JobQueue
public import Reading
import Secrets
public import Telemetry

/// The opened secrets of one run, and what the source replaces them with meanwhile.
///
/// A replaced one is stored with the page it came with, or before the next request: the old one may be
/// worth nothing any more.
public final class Credentials {
    /// A shorter secret stands in many a position by chance.
    private static let soughtBytesMin = 8

    private struct Rotation {
        var old: SealedSecret
        var newRevision: Int64
        var value: SecretValue
        var place: SecretPlace
        var sealed: [UInt8]
    }

    let owner: CredentialOwner
    private let keys: TenantKeys?
    private let queue: Queue
    private let deadline: ContinuousClock.Instant
    /// Those that the job file names: no other is opened.
    private let names: Set<String>
    private let destinations: Destinations
    /// By name, as this run last knew them.
    private var sealed: [String: SealedSecret] = [:]
    /// What stands in the seals of those that are open.
    private var places: [String: SecretPlace] = [:]
    /// What the tenant seals with, where the run may have to seal.
    private var sealingKey: PublicKey?
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
    /// Finds them in what is to be stored in clear.
    private var keeper = Redactor(secrets: [])
    /// Versions of the secrets as this run last read them, opened or not: what is stored beside them came
    /// too late for it.
    public private(set) var versions: [Int64] = []
    /// A replaced credential was stored without a page.
    public private(set) var hasStored = false

    /// Opens nothing yet; `names` are the secrets that the job file names, which it sends to `destinations`.
    init(
        of owner: CredentialOwner, names: [String], to destinations: Destinations,
        _ keys: TenantKeys?, _ queue: Queue, deadline: ContinuousClock.Instant
    ) {
        self.owner = owner
        self.names = Set(names)
        self.destinations = destinations
        self.keys = keys
        self.queue = queue
        self.deadline = deadline
    }

    var tenantID: Int64 { owner.tenantID }

    /// Opens what the job file names, where its seal allows what the file does with it.
    ///
    /// Throws `RunEnd.deferred` where the worker's key file is missing or another, which is no user's matter. Throws
    /// `needsReauth` for a secret that does not open, or may not be sent where the job would send it: it parks its job
    /// and no other.
    public func open(_ sealedSecrets: [SealedSecret]) async throws {
        versions = sealedSecrets.map(\.version)
        if let keys, !names.isEmpty {
            sealingKey = try await keys.sealing(ofTenant: tenantID, deadline: deadline)
        }
        for stored in inForce(sealedSecrets) {
            guard let keys else { throw Self.locked("secrets exist, but there is no key file") }
            sealed[stored.name] = stored
            do {
                let (secret, place) = try await opened(stored, keys)
                // Nothing is no secret, whoever has sealed it.
                if secret.count == 0 { continue }
                try check(place, of: stored)
                if let fault = secret.withBytes({ CredentialForm.text.fault(of: $0) }) {
                    throw RunEnd.needsReauth(message: "secret '\(stored.name)' \(fault)")
                }
                secrets[stored.name] = secret
                places[stored.name] = place
                openedSecrets.append(secret.withBytes { Array($0) })
            } catch let error as SecretError {
                let message = "secret '\(stored.name)': \(error)"
                throw error.isOfKeys ? Self.locked(message) : RunEnd.needsReauth(message: message)
            }
        }
        makeRedactor()
    }

    private func opened(
        _ stored: SealedSecret, _ keys: TenantKeys
    ) async throws -> (secret: SecretValue, place: SecretPlace) {
        guard let id = Seal.keyID(of: stored.sealed) else {
            throw SecretError.notSealed(name: stored.name)
        }
        guard let key = try await keys.opening(id, ofTenant: tenantID, deadline: deadline) else {
            throw SecretError.tampered(name: stored.name)
        }
        return try Seal.open(stored.sealed, named: stored.name, with: key)
    }

    /// Whoever may write rows, and has no key, can't send a secret elsewhere by them.
    private func check(_ place: SecretPlace, of stored: SealedSecret) throws {
        guard place.name == stored.name, place.user == owner.userKey(of: stored.userID) else {
            throw RunEnd.needsReauth(
                message: "secret '\(stored.name)' was sealed for another user or name")
        }
        if let refusal = destinations.refusal(of: place) {
            throw RunEnd.needsReauth(message: "secret '\(stored.name)' \(refusal)")
        }
    }

    /// Those that the job file names.
    ///
    /// The user's takes the place of the tenant's own of the same name, which need not even open then.
    private func inForce(_ stored: [SealedSecret]) -> [SealedSecret] {
        var found: [String: SealedSecret] = [:]
        for secret in stored.sorted(by: { $0.userID < $1.userID })
        where names.contains(secret.name) {
            found[secret.name] = secret
        }
        return found.values.sorted { $0.name < $1.name }
    }

    private func makeRedactor() {
        let secrets = openedSecrets + latestSecrets + broughtSecrets
        redactor = Redactor(secrets: secrets)
        let sought = secrets.filter { $0.count >= Self.soughtBytesMin }
        keeper = sought.count == secrets.count ? redactor : Redactor(secrets: sought)
    }

    /// Throws `RunEnd` malformed where a text that is to be stored in clear holds a secret in any form; `place` is what the
    /// text is, such as `the answer to the probe`.
    public func checkHoldNone(_ text: String?, _ place: String) throws {
        guard holdsSecret(text) else { return }
        let text = text ?? ""
        let name = secrets.keys.sorted().first { name in
            secrets[name]?.withBytes { Redactor(secrets: [Array($0)]).finds(in: text) } ?? false
        }
        throw RunEnd.failed(
            .malformed,
            "\(place) repeats \(name.map { "secret '\($0)'" } ?? "a secret of the run"), and is not stored"
        )
    }

    /// Whether a text holds a secret that is long enough not to stand there by chance.
    public func holdsSecret(_ text: String?) -> Bool { text.map(keeper.finds) ?? false }

    private static func locked(_ message: String) -> RunEnd {
        .deferred(.noKey, message: message, wait: .seconds(60))
    }

    /// Takes over the secrets as they are stored now; returns whether any differs.
    ///
    /// Throws as `open` does.
    @discardableResult func adopt(_ stored: [SealedSecret]) async throws -> Bool {
        let before = sealed.mapValues(\.revision)
        sealed = [:]
        secrets = [:]
        places = [:]
        try await open(stored)
        return sealed.mapValues(\.revision) != before
    }

    /// Reads the secrets again after the source refused one; returns whether any differs.
    func readAgain() async throws -> Bool {
        guard rotation == nil, !sealed.isEmpty else { return false }
        return try await adopt(
            queue.readSecrets(tenant: tenantID, user: owner.userID, deadline: deadline))
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
                "select jobrunner.rotate_secret($1, $2, $3, $4, $5, $6)", .int8(tenantID),
                .int8(rotation.old.userID), .text(rotation.old.name), .int8(rotation.old.revision),
                .int8(rotation.newRevision),
                .bytes(rotation.sealed))
        ]
    }

    /// A transaction with `statements` in it was committed.
    public func markStored() { rotation = nil }

    /// At the end of a run, however it ended; returns why the credential could not be stored.
    ///
    /// A run that has lost its claim stores it too: `rotate_secret` replaces only the one that was sent.
    public func storeAtEnd() async -> (any Error)? {
        guard rotation != nil || ending != nil else { return nil }
        do {
            try await storeWhateverHappens { ending.map { [$0] } ?? [] }
            return nil
        } catch {
            return error
        }
    }

    /// Stores a credential that came without a page; before it is used.
    func store() async throws {
        guard rotation != nil else { return }
        try await sealingAgain {
            _ = try await queue.turn(statements, deadline: deadline)
        }
        markStoredAlone()
    }

    /// Stores a renewed credential together with the end of its renewal, whatever becomes of the run.
    ///
    /// `ending` is made again where the tenant seals with another key by now.
    func store(with ending: () throws -> Statement) async throws {
        try await storeWhateverHappens { [try ending()] }
    }

    /// Neither the deadline nor a stop of the run ends this: the old credential may be spent.
    private func storeWhateverHappens(_ others: () throws -> [Statement]) async throws {
        try await sealingAgain {
            let queue = queue
            let all = try statements + others()
            _ = try await Task { try await queue.turn(all, deadline: .now + .seconds(5)) }.value
        }
        if rotation != nil { markStoredAlone() }
    }

    /// Does it again, with what the tenant seals with now, where that is another key than the run knew.
    private func sealingAgain(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch QueueError.keyRetired {
            forgetKey()
            sealingKey = try await keys?.sealing(ofTenant: tenantID, deadline: .now + .seconds(5))
            if let known = rotation {
                rotation?.sealed = try seal(known.value, for: known.place)
            }
            try await body()
        }
    }

    /// The tenant seals with another key by now: a page that was sealed for it was not stored.
    public func forgetKey() { keys?.forget(tenant: tenantID) }

    /// Seals with what the tenant seals with, as this run knows it.
    func seal(_ secret: SecretValue, for place: SecretPlace) throws -> [UInt8] {
        guard let sealingKey else { throw Self.locked("there is no key file") }
        return try Seal.make(secret, for: place, with: sealingKey)
    }

    /// The secret of a seal for that very place; nil for any other, and where no key opens it.
    func opened(_ sealed: [UInt8], for place: SecretPlace) async -> SecretValue? {
        guard let keys, let id = Seal.keyID(of: sealed),
            let key = try? await keys.opening(id, ofTenant: tenantID, deadline: deadline),
            let opened = try? Seal.open(sealed, named: place.name, with: key),
            opened.place == place
        else { return nil }
        return opened.secret
    }

    private func markStoredAlone() {
        hasStored = true
        rotation = nil
    }

    /// Takes a credential out of an answer; the next request is signed with it.
    ///
    /// Throws `RunEnd` malformed, and keeps the one that is stored, where the new one can be none.
    func replace(with credential: NewCredential) throws {
        guard let old = rotation?.old ?? sealed[credential.name],
            let place = places[credential.name]
        else { return }
        if let fault = CredentialForm.token.fault(of: credential.value.utf8) {
            throw RunEnd.failed(
                .malformed, "the source's new secret '\(credential.name)' \(fault)")
        }
        let value = SecretValue(Array(credential.value.utf8))
        // Above all that the sequence draws, so that the run knows it before it is stored.
        let revision = Int64.random(in: 1 << 48...Int64.max)
        let new = try seal(value, for: place)
        rotation = Rotation(
            old: old, newRevision: revision, value: value, place: place, sealed: new)
        sealed[credential.name]?.revision = revision
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
        if keys == nil { throw Self.locked("records bring secrets, but there is no key file") }
    }

    /// Seals what the records of a page bring: what opens the page's transaction, and what stores it there; nothing where
    /// they bring nothing.
    ///
    /// `origins`: where the files that take a secret of that name may send it. Throws as `checkKey` does.
    public func bring(
        _ values: [BroughtValue], by entity: String, to job: String,
        origins: (String) -> [String]
    ) throws -> (opening: [Statement], storing: [Statement]) {
        guard !values.isEmpty else { return ([], []) }
        try checkKey()
        let opening = Statement(
            "select jobrunner.hold_secrets($1, $2, $3)", .int8(tenantID), .int8(owner.userID),
            .text(job))
        let storing = try values.map { value in
            let place = SecretPlace(
                user: owner.userKey(of: owner.userID), name: value.name,
                origins: origins(value.name), broughtBy: entity)
            return try statement(bringing: value, for: place, to: job)
        }
        return ([opening], storing)
    }

    private func statement(
        bringing value: BroughtValue, for place: SecretPlace, to job: String
    ) throws -> Statement {
        protect(value.bytes)
        let same = broughtSealed[value.name].flatMap { $0.bytes == value.bytes ? $0.sealed : nil }
        let new = try same ?? seal(SecretValue(value.bytes), for: place)
        broughtSealed[value.name] = (value.bytes, new)
        return Statement(
            "select jobrunner.bring_secret($1, $2, $3, $4, $5, $6, $7)", .int8(tenantID),
            .int8(owner.userID), .text(job), .text(value.name), .bytes(new),
            .optional(value.changedAt, Bind.timestamptz),
            .optional(revision(of: value, for: place), Bind.int8))
    }

    /// Of the user's own secret of that name where it holds this very value for this very place, as far as the run knows.
    private func revision(of value: BroughtValue, for place: SecretPlace) -> Int64? {
        guard let stored = sealed[value.name], stored.userID == owner.userID,
            places[value.name] == place,
            secrets[value.name]?.withBytes({ $0.elementsEqual(value.bytes) }) == true
        else { return nil }
        return stored.revision
    }
}

/// Whose credentials a run has.
struct CredentialOwner: Sendable {
    var tenantID: Int64
    /// `users.id`.
    var userID: Int64
    /// Key of the user.
    var key: String

    /// The key of the owner of a secret; nil for the tenant itself, whose `userID` is 0.
    func userKey(of userID: Int64) -> String? { userID == 0 ? nil : key }
}

extension SecretError {
    /// What the operator's keys lack is no matter of the secret.
    fileprivate var isOfKeys: Bool {
        switch self {
        case .wrongKey, .keyLost, .keyFolder, .keyCommand: true
        default: false
        }
    }
}
