/// A zone's name as it travels.
struct CloudZoneID {
    let name: String
    let owner: String
    var ownerKey = "ownerRecordName"
    var type: String?

    static let defaultName = "_defaultZone"

    /// `"zoneID":{…}`.
    func write(into json: inout JSONText) {
        json.key("zoneID")
        json.raw("{")
        json.field("zoneName", name)
        json.field(ownerKey, owner)
        if let type { json.field("zoneType", type) }
        json.raw("}")
    }
}
