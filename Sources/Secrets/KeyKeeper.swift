import Basics

/// Where wrapped keys of tenants are kept outside of the database; each call blocks its thread, for seconds at the worst.
public enum OutsideKeys: Sendable {
    case folder(KeyFolder)
    case command(KeyCommand)

    /// The wrapped key of that id; nil when it is not there.
    ///
    /// Throws `keyFolder` or `keyCommand`.
    public func read(_ id: [UInt8]) throws(SecretError) -> [UInt8]? {
        switch self {
        case .folder(let folder): try folder.read(id)
        case .command(let command): try command.read(id)
        }
    }

    /// Keeps a wrapped key.
    ///
    /// Throws `keyFolder` or `keyCommand`.
    public func write(_ wrapped: [UInt8], as id: [UInt8]) throws(SecretError) {
        switch self {
        case .folder(let folder): try folder.write(wrapped, as: id)
        case .command(let command): try command.write(wrapped, as: id)
        }
    }

    /// Removes a key; one that is not there is no mistake.
    ///
    /// Throws `keyFolder` or `keyCommand`.
    public func remove(_ id: [UInt8]) throws(SecretError) {
        switch self {
        case .folder(let folder): try folder.remove(id)
        case .command(let command): try command.remove(id)
        }
    }
}

/// Makes and unwraps the keys of tenants with the key file, and keeps them in the database or outside of it.
public struct KeyKeeper: Sendable {
    /// The keys of the key file.
    public let ring: KeyRing
    /// Where wrapped keys are kept; nil means in the database.
    public let outside: OutsideKeys?

    /// Keeps what the ring wraps.
    public init(ring: KeyRing, outside: OutsideKeys? = nil) {
        self.ring = ring
        self.outside = outside
    }

    /// A new key of a tenant, wrapped by the newest key; `wrapped` is nil where it is kept outside, which comes first, so
    /// that nothing is ever sealed with a key that is nowhere.
    public func make(
        tenant: Int64
    ) throws(SecretError) -> (key: PublicKey, wrapped: [UInt8]?, wrappedBy: [UInt8]) {
        let key = try TenantKey.random()
        let wrapped = key.wrapped(by: ring.newest, tenant: tenant)
        try outside?.write(wrapped, as: key.publicKey.id)
        return (key.publicKey, outside == nil ? wrapped : nil, ring.newest.idBytes)
    }

    /// The key that a row stands for; nil for `wrapped` means that it is kept outside.
    ///
    /// Throws `wrongKey` where the key file lacks the key that has wrapped it, `keyLost` where it is not kept, and
    /// `keyTampered`.
    public func unwrap(
        id: [UInt8], wrapped: [UInt8]?, wrappedBy: [UInt8], tenant: Int64
    ) throws(SecretError) -> TenantKey {
        guard let master = ring.key(wrappedBy) else {
            throw .wrongKey(wrappedBy: Hex.encode(wrappedBy), have: ring.ids)
        }
        var kept = wrapped
        if kept == nil { kept = try outside?.read(id) }
        guard let bytes = kept else {
            throw .keyLost(id: Hex.encode(id), isKept: outside != nil)
        }
        return try TenantKey(unwrapping: bytes, by: master, id: id, tenant: tenant)
    }
}
