public import JobQueue
public import Secrets

/// Seals secrets anew, with new keys that the newest key of the key file wraps, while workers go on.
///
/// What is done stands in rows: one that was killed is ended by the next. A tenant seals with its new key from the first
/// step on; the old one goes when nothing is sealed with it any more, which the database itself holds to.
public struct KeyRotation: Sendable {
    private static let secretsMax = 200
    private static let tenantsMax = 100

    private let keeper: KeyKeeper
    private let queue: Queue

    /// What a rotation has done.
    public struct Report: Sendable {
        /// Tenants that have another key now.
        public var tenants = 0
        /// Secrets that were sealed anew.
        public var secrets = 0
        /// Secrets that no key opens, which stay as they are.
        public var spoilt = 0
        /// What can't be opened with the key file, by tenant.
        public var unopened: [(tenant: Int64, error: SecretError)] = []
    }

    /// Rotates with what the key file holds.
    public init(_ keeper: KeyKeeper, _ queue: Queue) {
        self.keeper = keeper
        self.queue = queue
    }

    /// Goes through all tenants whose key another key of the key file wraps, or that have none; one whose old key can't
    /// be unwrapped keeps it, and is told of.
    ///
    /// `told` is called after each tenant, with what is done by then.
    public func run(_ told: (Report) -> Void = { _ in }) async throws -> Report {
        let newest = keeper.ring.newest.idBytes
        return try await go(
            { try await queue.tenantsToKey(after: $0, wrappedBy: newest, most: Self.tenantsMax) },
            replacing: { $0.isToRenew || $0.wrappedBy != newest }, told)
    }

    /// Goes through the tenants for which somebody asks for another key.
    ///
    /// No other key is replaced: a worker that has an older key file than others would take back what these have done.
    func runAsked() async throws -> Report {
        try await go(
            { try await queue.tenantsToRenew(after: $0, most: Self.tenantsMax) },
            replacing: { $0.isToRenew })
    }

    private func go(
        _ some: (Int64) async throws -> [Int64], replacing isToReplace: (StoredKey) -> Bool,
        _ told: (Report) -> Void = { _ in }
    ) async throws -> Report {
        var report = Report()
        var last: Int64 = 0
        while case let tenants = try await some(last), let end = tenants.last {
            for tenant in tenants {
                do {
                    let done = try await rotate(tenant, isToReplace)
                    report.secrets += done.secrets
                    report.spoilt += done.spoilt
                    report.tenants += 1
                } catch let error as SecretError {
                    report.unopened.append((tenant, error))
                }
                told(report)
            }
            last = end
        }
        return report
    }

    /// Returns how many secrets were sealed anew, and how many of them no key opens.
    ///
    /// Others may be at it as well, and may replace a key at any time: the keys are read again for each page.
    private func rotate(
        _ tenant: Int64, _ isToReplace: (StoredKey) -> Bool
    ) async throws -> (secrets: Int, spoilt: Int) {
        var opened: [[UInt8]: TenantKey] = [:]
        var (count, spoilt) = (0, 0)
        while true {
            let keys = try await queue.keys(ofTenant: tenant)
            guard let present = keys.first(where: { !$0.isRetired }) else {
                try await store(newKey(of: tenant)) { try await queue.addKey($0) }
                return (count, spoilt)
            }
            try await open(keys, &opened)
            if isToReplace(present) {
                try await store(newKey(of: tenant)) {
                    try await queue.replaceKey(present.id, with: $0)
                }
                continue
            }
            guard let key = PublicKey(present.publicKey) else { return (count, spoilt) }
            let secrets = try await queue.secretsToSealAnew(
                ofTenant: tenant, most: Self.secretsMax)
            if secrets.isEmpty {
                // A worker may have stored one meanwhile that it had sealed with the old key.
                guard let gone = try await queue.dropRetiredKeys(ofTenant: tenant) else { continue }
                if !gone.isEmpty { try await keeper.removeKeys(queue) }
                return (count, spoilt)
            }
            // What is sealed with a key that came since these were read is left to the next page.
            let known = secrets.filter { secret in
                Seal.keyID(of: secret.sealed).map { opened[$0] != nil } ?? true
            }
            let anew = try known.map { try sealed($0, from: opened, to: key, &spoilt) }
            count += try await queue.sealAnew(anew, ofTenant: tenant)
        }
    }

    /// All must open: what is sealed with one that does not could never be read again.
    private func open(_ keys: [StoredKey], _ opened: inout [[UInt8]: TenantKey]) async throws {
        for key in keys where opened[key.id] == nil {
            opened[key.id] = try await keeper.aside { keeper throws(SecretError) in
                try keeper.unwrap(
                    id: key.id, wrapped: key.wrapped, wrappedBy: key.wrappedBy,
                    tenant: key.tenantID)
            }
        }
    }

    private func newKey(of tenant: Int64) async throws -> StoredKey {
        try await keeper.aside { keeper throws(SecretError) in
            try keeper.newKey(ofTenant: tenant)
        }
    }

    /// A key that the database does not take, since another was faster, goes from where it is kept outside.
    private func store(
        _ key: StoredKey, _ store: (StoredKey) async throws -> Bool
    ) async throws {
        if try await !store(key) { try await keeper.forget(key) }
    }

    /// Whoever may set secrets may store a box that nobody can open; it must not keep the old key.
    private func sealed(
        _ secret: SealedSecret, from old: [[UInt8]: TenantKey], to key: PublicKey,
        _ spoilt: inout Int
    ) throws -> SealedSecret {
        var secret = secret
        do {
            guard let id = Seal.keyID(of: secret.sealed), let opening = old[id] else {
                throw SecretError.tampered(name: secret.name)
            }
            secret.sealed = try Seal.again(
                secret.sealed, named: secret.name, from: opening, to: key)
        } catch SecretError.tampered {
            secret.sealed = Seal.renamed(secret.sealed, to: key)
            spoilt += 1
        }
        return secret
    }
}
