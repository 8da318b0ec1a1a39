/// One database of a container: the public one, or a user's private or shared one.
final class CloudDatabase {
    let isPublic: Bool
    /// Its zones are another user's, and are asked for by that owner's name.
    let isShared: Bool
    /// Who owns its zones.
    let owner: String
    /// Names it in tokens.
    let id: String
    private let seed: UInt64
    private(set) var zones: [String: CloudZone] = [:]
    /// What happened to zones: name, and the place of the last change.
    private(set) var zoneChanges: [String: Int] = [:]
    /// Counts all writes; places in feeds and change tags come from it.
    private(set) var sequence = 0
    private var serial = 0
    private var incarnations = 0
    /// Tokens of an older one have expired.
    var tokenEpoch = 0
    var markerEpoch = 0
    var results = CloudResults()

    init(id: String, owner: String, isPublic: Bool, isShared: Bool = false, seed: UInt64) {
        self.id = id
        self.owner = owner
        self.isPublic = isPublic
        self.isShared = isShared
        self.seed = Catalogue.key(seed: seed, user: id)
        zones[CloudZoneID.defaultName] = CloudZone(
            name: CloudZoneID.defaultName, incarnation: id + "#0")
    }

    // MARK: Zones

    @discardableResult
    func createZone(_ name: String) -> CloudZone {
        if let known = zones[name] { return known }
        incarnations += 1
        let zone = CloudZone(name: name, incarnation: "\(id)#\(incarnations)")
        zones[name] = zone
        recordZone(name)
        return zone
    }

    /// Its records go with it, and its tokens are worth nothing.
    func deleteZone(_ name: String) -> Bool {
        guard name != CloudZoneID.defaultName, zones.removeValue(forKey: name) != nil else {
            return false
        }
        recordZone(name)
        return true
    }

    private func recordZone(_ name: String) {
        sequence += 1
        zoneChanges[name] = sequence
    }

    // MARK: Records

    struct Write {
        let zone: CloudZone
        let name: String
        let type: String
        var fields: [String: CloudField] = [:]
        var isDeleted = false
        let stamp: CloudRecord.Stamp
        var created: CloudRecord.Stamp?
        /// 0 puts it in the index at once.
        let writtenAt: Milliseconds
    }

    /// Adds a version to a record; made when there never was one.
    @discardableResult
    func write(_ write: Write) -> CloudRecord {
        let record = write.zone.records[write.name] ?? newRecord(write.name, in: write.zone)
        sequence += 1
        let tag =
            "k" + String(Catalogue.randomBits(seed, 0, 7) % 1296 + 1296, radix: 36)
            + String(sequence, radix: 36)
        record.add(
            CloudRecord.Version(
                number: (record.last?.number ?? 0) + 1, type: write.type, changeTag: tag,
                isDeleted: write.isDeleted, fields: write.fields,
                created: write.created ?? record.live?.created ?? write.stamp,
                modified: write.stamp, writtenAt: write.writtenAt, sequence: sequence))
        write.zone.wrote(record, sequence: sequence)
        if !write.zone.isDefault { zoneChanges[write.zone.name] = sequence }
        return record
    }

    private func newRecord(_ name: String, in zone: CloudZone) -> CloudRecord {
        serial += 1
        return zone.record(name, serial: serial)
    }

    /// A name for a record that was created without one, in the form of a UUID.
    ///
    /// `place` is its place in the request.
    func newName(_ place: Int) -> String {
        CloudDatabase.uuid(seed, (sequence + 1) * 1000 + place)
    }

    /// Fixed by its arguments.
    static func uuid(_ seed: UInt64, _ number: Int) -> String {
        let high = Catalogue.randomBits(seed, number, 20)
        let low = Catalogue.randomBits(seed, number, 21)
        let digits = hex(high) + hex(low)
        var text = ""
        for (place, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(place) { text += "-" }
            text.append(digit)
        }
        return text
    }

    private static func hex(_ bits: UInt64) -> String {
        let digits = String(bits, radix: 16, uppercase: true)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
