import Basics
public import JobQueue
public import Secrets
import Synchronization

/// The keys of tenants that this process has unwrapped, so that the database is asked once for each tenant.
public final class TenantKeys: Sendable {
    private struct Known {
        var sealing: PublicKey?
        var opening: [[UInt8]: Result<TenantKey, SecretError>] = [:]
    }

    private let keeper: KeyKeeper
    private let queue: Queue
    private let known = Mutex<[Int64: Known]>([:])
    /// The tenants up to this number have had a key.
    private let keyed = Mutex<Int64>(0)

    /// Knows no key yet.
    public init(_ keeper: KeyKeeper, _ queue: Queue) {
        self.keeper = keeper
        self.queue = queue
    }

    /// The key that opens seals of that id; nil when the tenant has no such key.
    ///
    /// Throws `SecretError` for one that can't be unwrapped here.
    func opening(
        _ id: [UInt8], ofTenant tenant: Int64, deadline: ContinuousClock.Instant
    ) async throws -> TenantKey? {
        if case .success(let key) = known.withLock({ $0[tenant]?.opening[id] }) { return key }
        return try await read(tenant, deadline).opening[id]?.get()
    }

    /// What a tenant seals with at present, as far as this process knows; a tenant that has nothing is given a key.
    public func sealing(
        ofTenant tenant: Int64, deadline: ContinuousClock.Instant? = nil
    ) async throws -> PublicKey {
        if let key = known.withLock({ $0[tenant]?.sealing }) { return key }
        if let key = try await read(tenant, deadline).sealing { return key }
        let made = try await keeper.aside { keeper throws(SecretError) in
            try keeper.newKey(ofTenant: tenant)
        }
        if try await !queue.addKey(made) { try await keeper.forget(made) }
        guard let key = try await read(tenant, deadline).sealing else {
            throw QueueError.keyRetired(message: "tenant \(tenant) is gone", hint: nil)
        }
        return key
    }

    /// Gives each new tenant a key, so that an application can seal, and another one where somebody asks for it, and
    /// removes those of removed tenants where they are kept outside of the database.
    ///
    /// Returns how many secrets no key opens, of those that were sealed anew. Throws `SecretError` for a key that can't be
    /// unwrapped here, when all else is done. A tenant may become visible after others with higher numbers: the last
    /// ones are looked at again.
    @discardableResult
    public func tend() async throws -> Int {
        let overlap: Int64 = 1000
        var last = keyed.withLock { max(0, $0 - overlap) }
        while case let tenants = try await queue.tenantsToKey(after: last, most: 100),
            let end = tenants.last
        {
            for tenant in tenants { _ = try await sealing(ofTenant: tenant) }
            last = end
        }
        let seen = last
        keyed.withLock { $0 = max($0, seen) }
        let report = try await KeyRotation(keeper, queue).runAsked()
        try await keeper.removeKeys(queue)
        if let (_, error) = report.unopened.first { throw error }
        return report.spoilt
    }

    /// The tenant seals with another key by now.
    func forget(tenant: Int64) { known.withLock { $0[tenant] = nil } }

    private func read(
        _ tenant: Int64, _ deadline: ContinuousClock.Instant?
    ) async throws -> Known {
        var found = Known()
        for key in try await queue.keys(ofTenant: tenant, deadline: deadline) {
            if !key.isRetired { found.sealing = PublicKey(key.publicKey) }
            do throws(SecretError) {
                let opening = try await keeper.aside { keeper throws(SecretError) in
                    try keeper.unwrap(
                        id: key.id, wrapped: key.wrapped, wrappedBy: key.wrappedBy, tenant: tenant)
                }
                found.opening[key.id] = .success(opening)
            } catch {
                found.opening[key.id] = .failure(error)
            }
        }
        let read = found
        known.withLock { $0[tenant] = read }
        return read
    }
}

extension KeyKeeper {
    /// Removes the keys that nothing is sealed with any more where they are kept outside of the database.
    func removeKeys(_ queue: Queue) async throws {
        guard let outside else { return }
        for id in try await queue.keyRemovals(most: 1000) {
            try await aside { _ throws(SecretError) in try outside.remove(id) }
            try await queue.noteKeyRemoved(id)
        }
    }

    /// Removes a key that nothing is sealed with, and that the database does not know, where it is kept outside.
    func forget(_ key: StoredKey) async throws(SecretError) {
        guard outside != nil else { return }
        try await aside { keeper throws(SecretError) in try keeper.outside?.remove(key.id) }
    }

    /// What may wait for a disk of another machine or for a program holds up no run.
    func aside<Result: Sendable>(
        _ work: @escaping @Sendable (KeyKeeper) throws(SecretError) -> Result
    ) async throws(SecretError) -> Result {
        guard outside != nil else { return try work(self) }
        let result = await onOwnThread {
            Swift.Result { () throws(SecretError) in try work(self) }
        }
        guard let result else { throw .noThread }
        return try result.get()
    }

    /// A new key as its row has it.
    public func newKey(ofTenant tenant: Int64) throws(SecretError) -> StoredKey {
        let made = try make(tenant: tenant)
        return StoredKey(
            tenantID: tenant, id: made.key.id, publicKey: made.key.bytes, wrapped: made.wrapped,
            wrappedBy: made.wrappedBy)
    }
}
