import Basics

/// Makes and unwraps the keys of tenants with the key file, and keeps them in the database or in a folder.
public struct KeyKeeper: Sendable {
    /// The keys of the key file.
    public let ring: KeyRing
    /// Where wrapped keys are kept; nil means in the database.
    public let folder: KeyFolder?

    /// Keeps what the ring wraps.
    public init(ring: KeyRing, folder: KeyFolder? = nil) {
        self.ring = ring
        self.folder = folder
    }

    /// A new key of a tenant, wrapped by the newest key; `wrapped` is nil where the folder has it, which comes first, so
    /// that nothing is ever sealed with a key that is nowhere.
    public func make(
        tenant: Int64
    ) throws(SecretError) -> (key: PublicKey, wrapped: [UInt8]?, wrappedBy: [UInt8]) {
        let key = try TenantKey.random()
        let wrapped = key.wrapped(by: ring.newest, tenant: tenant)
        try folder?.write(wrapped, as: key.publicKey.id)
        return (key.publicKey, folder == nil ? wrapped : nil, ring.newest.idBytes)
    }

    /// The key that a row stands for; nil for `wrapped` means that it is in the folder.
    ///
    /// Throws `wrongKey` where the key file lacks the key that has wrapped it, `keyLost` where the folder lacks it, and
    /// `keyTampered`.
    public func unwrap(
        id: [UInt8], wrapped: [UInt8]?, wrappedBy: [UInt8], tenant: Int64
    ) throws(SecretError) -> TenantKey {
        guard let master = ring.key(wrappedBy) else {
            throw .wrongKey(wrappedBy: Hex.encode(wrappedBy), have: ring.ids)
        }
        var kept = wrapped
        if kept == nil { kept = try folder?.read(id) }
        guard let bytes = kept else {
            throw .keyLost(id: Hex.encode(id), hasFolder: folder != nil)
        }
        return try TenantKey(unwrapping: bytes, by: master, id: id, tenant: tenant)
    }
}
