/// A record with all its versions, the last of which is the present one.
final class CloudRecord {
    let name: String
    /// The order of creation in its database.
    let serial: Int
    private(set) var versions: [Version] = []

    struct Version {
        let number: Int
        let type: String
        let changeTag: String
        let isDeleted: Bool
        let fields: [String: CloudField]
        let created: Stamp
        let modified: Stamp
        /// When the server wrote it, by its clock; 0 for what is in the index at once.
        let writtenAt: Milliseconds
        /// Its place among all writes of the database.
        let sequence: Int
    }

    struct Stamp {
        let time: Milliseconds
        let user: String
        let device: String
    }

    init(name: String, serial: Int) {
        self.name = name
        self.serial = serial
    }

    func add(_ version: Version) { versions.append(version) }

    /// The present version, a deletion too.
    var last: Version? { versions.last }

    /// The present version of a live record.
    var live: Version? { versions.last.flatMap { $0.isDeleted ? nil : $0 } }

    /// What an index shows that has seen the writes up to this time.
    func indexed(upTo time: Milliseconds) -> Version? {
        versions.last { $0.writtenAt <= time }.flatMap { $0.isDeleted ? nil : $0 }
    }
}

/// How the caller wants records.
struct CloudShape {
    var desiredKeys: Set<String>?
    var numbersAsStrings = false
    var hasExtras = false
    var zone: CloudZoneID
    var uuid: String
    /// What stands before the path of an asset's address.
    var origin = ""
}

extension CloudRecord.Version {
    func write(_ name: String, _ shape: CloudShape, into json: inout JSONText) {
        json.raw("{")
        json.field("recordName", name)
        json.field("recordType", type)
        json.field("recordChangeTag", changeTag)
        shape.zone.write(into: &json)
        json.key("fields")
        json.raw("{")
        for key in fields.keys.sorted() where shape.desiredKeys?.contains(key) ?? true {
            json.key(key)
            fields[key]?.addressed(shape.origin)
                .write(into: &json, numbersAsStrings: shape.numbersAsStrings)
        }
        if shape.hasExtras { CloudExtras.writeFields(into: &json) }
        json.raw("}")
        json.key("pluginFields")
        json.raw("{}")
        write("created", created, into: &json)
        write("modified", modified, into: &json)
        json.field("deleted", false)
        if shape.hasExtras { CloudExtras.writeMembers(of: name, into: &json) }
        json.raw("}")
    }

    private func write(_ key: String, _ stamp: CloudRecord.Stamp, into json: inout JSONText) {
        json.key(key)
        json.raw("{")
        json.field("timestamp", Int(stamp.time))
        json.field("userRecordName", stamp.user)
        json.field("deviceID", stamp.device)
        json.raw("}")
    }

    /// A deletion in a feed; the type is null or absent, both of which were seen.
    func writeTombstone(_ name: String, _ shape: CloudShape, into json: inout JSONText) {
        json.raw("{")
        json.field("recordName", name)
        if sequence.isMultiple(of: 2) {
            json.key("recordType")
            json.raw("null")
            json.field("recordChangeTag", changeTag)
        }
        json.field("deleted", true)
        shape.zone.write(into: &json)
        json.raw("}")
    }
}

/// What a later server may send: a client must not mind.
enum CloudExtras {
    static func writeFields(into json: inout JSONText) {
        let fields = #"{"value":{"a":[1,{"b":null}]},"type":"HOLOGRAM","isEncrypted":true}"#
        json.key("zz_hologram")
        json.raw(fields)
        json.key("zz_bytes")
        json.raw(#"{"value":"AAEC","type":"ENCRYPTED_BYTES"}"#)
        json.key("zz_list")
        json.raw(#"{"value":[],"type":"UNKNOWN_LIST"}"#)
    }

    static func writeMembers(of name: String, into json: inout JSONText) {
        json.field("shortGUID", "0" + name)
        json.field("stableUrl", "https://www.icloud.com/share/0" + name)
        json.field("publicPermission", "NONE")
        json.key("participants")
        json.raw("[]")
        json.key("zzUnknown")
        json.raw(#"{"deep":[[["x"]]],"number":1e300}"#)
    }
}
