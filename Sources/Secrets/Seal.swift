import Basics
import CSodium
import JSON

/// Whose secret it is and where it may be sent: it stands inside the seal, and no row can change it.
public struct SecretPlace: Sendable, Equatable {
    /// Key of the user; nil for a secret of the tenant itself.
    public var user: String?
    /// Name of the secret, compared byte by byte.
    public var name: String
    /// Where it may be sent, such as `https://api.example.com`.
    public var origins: [String]
    /// The entity whose records have brought it, such as `app.tokens.token`; nil when a person has set it.
    public var broughtBy: String?

    /// Names the place of a secret.
    public init(user: String?, name: String, origins: [String], broughtBy: String? = nil) {
        self.user = user
        self.name = name
        self.origins = origins
        self.broughtBy = broughtBy
    }
}

/// Sealed secrets, as the database holds them.
///
/// A seal is a byte 2, the id of the tenant's key (8) and a sealed box of libsodium (`crypto_box_seal`, 48 bytes longer
/// than what is in it). In the box are a line of JSON that says whose the secret is and where it may be sent, a newline,
/// and the secret. The tenant is not named there: its key opens nothing of another's.
public enum Seal {
    /// The format version this program writes and reads.
    public static let version: UInt8 = 2
    private static let headerCount = 1 + MasterKey.idBytesCount
    private static let boxCount = Int(crypto_box_sealbytes())
    /// Longest line of JSON in front of a secret.
    private static let placeBytesMax = 4096

    /// Seals a secret for its place; twice the same gives two different values.
    ///
    /// Throws `placeTooLong` when origins and names need more than 4 KiB.
    public static func make(
        _ secret: SecretValue, for place: SecretPlace, with key: PublicKey
    ) throws(SecretError) -> [UInt8] {
        let line = Array(place.json.text.utf8) + [UInt8(ascii: "\n")]
        guard line.count <= placeBytesMax else { throw .placeTooLong(name: place.name) }
        let plain = SecretValue(count: line.count + secret.count) { start in
            _ = UnsafeMutableBufferPointer(start: start, count: line.count).update(from: line)
            start.advanced(by: line.count).update(from: secret.start, count: secret.count)
        }
        return box(plain, with: key)
    }

    /// The id of the key that a seal names; nil for what is no seal.
    public static func keyID(of sealed: [UInt8]) -> [UInt8]? {
        guard sealed.count > headerCount + boxCount, sealed[0] == version else { return nil }
        return Array(sealed[1..<headerCount])
    }

    /// Opens a seal for the secret of that name; whether its place is the right one is for the caller to see.
    ///
    /// Throws `notSealed` and `tampered`.
    public static func open(
        _ sealed: [UInt8], named name: String, with key: TenantKey
    ) throws(SecretError) -> (secret: SecretValue, place: SecretPlace) {
        let plain = try unbox(sealed, named: name, with: key)
        return try plain.withBytes { bytes throws(SecretError) in
            guard let end = bytes.prefix(placeBytesMax).firstIndex(of: UInt8(ascii: "\n")),
                let line = try? JSONDocument(parsing: Array(bytes[..<end])).root.value,
                let place = SecretPlace(line)
            else { throw .tampered(name: name) }
            return (SecretValue(bytes[(end + 1)...]), place)
        }
    }

    /// The same secret for the same place, sealed with another key.
    public static func again(
        _ sealed: [UInt8], named name: String, from old: TenantKey, to new: PublicKey
    ) throws(SecretError) -> [UInt8] {
        box(try unbox(sealed, named: name, with: old), with: new)
    }

    /// The same seal under the name of another key: for one that no key opens, so that it keeps no old key alive.
    public static func renamed(_ sealed: [UInt8], to key: PublicKey) -> [UInt8] {
        [version] + key.id + sealed.dropFirst(headerCount)
    }

    private static func box(_ plain: SecretValue, with key: PublicKey) -> [UInt8] {
        var box = [UInt8](repeating: 0, count: plain.count + boxCount)
        _ = crypto_box_seal(&box, plain.start, UInt64(plain.count), key.bytes)
        return [version] + key.id + box
    }

    private static func unbox(
        _ sealed: [UInt8], named name: String, with key: TenantKey
    ) throws(SecretError) -> SecretValue {
        guard let id = keyID(of: sealed) else { throw .notSealed(name: name) }
        guard id == key.publicKey.id else { throw .tampered(name: name) }
        let box = Array(sealed[headerCount...])
        return try SecretValue(count: box.count - boxCount) { plain throws(SecretError) in
            let result = crypto_box_seal_open(
                plain, box, UInt64(box.count), key.publicKey.bytes, key.privateKey.start)
            guard result == 0 else { throw .tampered(name: name) }
        }
    }
}

extension SecretPlace {
    fileprivate var json: JSONValue {
        var members = [
            JSONMember("user", user.map(JSONValue.string) ?? .null),
            JSONMember("name", .string(name)),
            JSONMember("origins", .array(origins.map(JSONValue.string))),
        ]
        if let broughtBy { members.append(JSONMember("brought_by", .string(broughtBy))) }
        return .object(members)
    }

    /// Nil for anything else than `json` gives; a member that is not known might forbid something.
    fileprivate init?(_ value: JSONValue) {
        let known = ["user", "name", "origins", "brought_by"]
        guard let members = value.members, members.allSatisfy({ known.contains($0.name) }),
            let name = value["name"]?.string, case .array(let listed) = value["origins"]
        else { return nil }
        let origins = listed.compactMap(\.string)
        guard origins.count == listed.count else { return nil }
        switch value["user"] {
        case .string(let key): user = key
        case .null, nil: user = nil
        default: return nil
        }
        switch value["brought_by"] {
        case .string(let entity): broughtBy = entity
        case nil: broughtBy = nil
        default: return nil
        }
        self.name = name
        self.origins = origins
    }
}
