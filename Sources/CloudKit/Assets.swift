// Assets of records.
extension CloudKitDialect {
    /// Where Apple keeps them.
    public var assetHosts: [String] { [".icloud-content.com"] }

    /// Apple tells no form of a checksum: one that has the length of a SHA-256 in base64 is taken for one, and any other
    /// says nothing.
    public func mayBe(_ bytes: [UInt8], of checksum: String) -> Bool {
        guard let hash = hash(bytes), hash.utf8.count == checksum.utf8.count else { return true }
        return hash == checksum
    }
}
