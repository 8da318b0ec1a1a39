/// Commands that change data, at once or after so many requests: other devices, and the past.
struct CloudEdits {
    let cloudKit: CloudKit

    private static let keys = CloudPlace.keys + ["after_requests", "after_op", "after_user"]
    /// Devices other than the one that speaks web services.
    private static let device = "9"

    /// One record of a command.
    private struct Entry {
        let name: String
        let type: String?
        let fields: [String: CloudField]
        let cleared: [String]
        let modified: Milliseconds?
        let created: Milliseconds?

        init(_ json: JSONValue) throws(BadRequest) {
            let command = try Command(
                json, knows: ["recordName", "recordType", "fields", "modified", "created"])
            name = try command.needed("recordName")
            type = try command.string("recordType")
            modified = try command.instant("modified")
            created = try command.instant("created")
            var fields: [String: CloudField] = [:]
            var cleared: [String] = []
            for (key, wire) in command.value("fields")?.members ?? [:] {
                if wire == .null {
                    cleared.append(key)
                } else {
                    fields[key] = try CloudField(seeded: wire)
                }
            }
            self.fields = fields
            self.cleared = cleared
        }
    }

    /// Runs `change` now, or when its requests have been answered.
    private func run(
        _ command: Command, _ change: @escaping () -> Int
    ) throws(BadRequest) -> Answer {
        guard let requests = try command.int("after_requests", in: 1...Int(Int32.max)) else {
            let count = change()
            return .json(200, JSONText.object { $0.field("changed", count) })
        }
        let ownUser = try command.string("user")
        let user = try command.string("after_user") ?? ownUser
        cloudKit.scripts.append(
            CloudScript(
                user: user, operation: try command.string("after_op"), requests: requests,
                run: { _ = change() }))
        return .message("waiting")
    }

    private func entries(_ command: Command) throws(BadRequest) -> [Entry] {
        guard let items = command.value("records")?.elements else {
            throw BadRequest("'records' must be a list")
        }
        var entries: [Entry] = []
        for item in items { entries.append(try Entry(item)) }
        return entries
    }

    // MARK: Records

    /// Records as if they had always been there: in the index at once, whatever the schema says.
    func seed(_ request: Request) throws(BadRequest) -> Answer {
        let command = try Command(request.body, knows: CloudEdits.keys + ["records"])
        let place = try CloudPlace(cloudKit, command)
        let entries = try entries(command)
        for entry in entries where entry.type == nil { throw BadRequest("'recordType' is missing") }
        return try run(command) {
            for entry in entries { write(entry, place, entry.fields, isSeed: true) }
            return entries.count
        }
    }

    /// What another device saves: the named fields of records, which are made when missing.
    func edit(_ request: Request) throws(BadRequest) -> Answer {
        let command = try Command(request.body, knows: CloudEdits.keys + ["records"])
        let place = try CloudPlace(cloudKit, command)
        let entries = try entries(command)
        return try run(command) {
            for entry in entries {
                let live = place.database.zones[place.zoneName]?.live(entry.name)
                var fields = (live?.fields ?? [:]).merging(entry.fields) { $1 }
                for key in entry.cleared { fields[key] = nil }
                write(entry, place, fields, isSeed: false)
            }
            return entries.count
        }
    }

    private func write(
        _ entry: Entry, _ place: CloudPlace, _ fields: [String: CloudField], isSeed: Bool
    ) {
        // A seed with a time of its own leaves the clock alone: thousands would push it ahead.
        let now = entry.modified.flatMap { isSeed ? $0 : nil } ?? cloudKit.clock.tick()
        let zone = place.database.createZone(place.zoneName)
        let user = place.database.isPublic ? "_creator" : place.database.owner
        let stamp = CloudRecord.Stamp(
            time: entry.modified ?? now, user: user, device: CloudEdits.device)
        let created = entry.created.map {
            CloudRecord.Stamp(time: $0, user: user, device: CloudEdits.device)
        }
        let type = entry.type ?? zone.live(entry.name)?.type ?? "Record"
        place.database.write(
            CloudDatabase.Write(
                zone: zone, name: entry.name, type: type,
                fields: place.container.saved(fields), stamp: stamp, created: created,
                writtenAt: isSeed ? 0 : now))
    }

    func delete(_ request: Request) throws(BadRequest) -> Answer {
        let command = try Command(
            request.body, knows: CloudEdits.keys + ["names", "type", "count", "untold"])
        let place = try CloudPlace(cloudKit, command)
        let names = try command.strings("names")
        let type = try command.string("type")
        let count = try command.int("count", in: 1...Int(Int32.max))
        let isUntold = try command.bool("untold") ?? false
        guard names != nil || type != nil || count != nil else {
            throw BadRequest("'names', 'type' or 'count' is missing")
        }
        return try run(command) {
            guard let zone = place.database.zones[place.zoneName] else { return 0 }
            let doomed =
                names?.compactMap { zone.records[$0] }
                ?? zone.ordered.filter { type == nil || $0.live?.type == type }
            var deleted = 0
            for record in doomed where deleted < count ?? .max {
                guard let live = record.live else { continue }
                deleted += 1
                guard !isUntold else {
                    zone.forget(record.name)
                    continue
                }
                let now = cloudKit.clock.tick()
                let stamp = CloudRecord.Stamp(
                    time: now, user: place.database.owner, device: CloudEdits.device)
                place.database.write(
                    CloudDatabase.Write(
                        zone: zone, name: record.name, type: live.type, isDeleted: true,
                        stamp: stamp, writtenAt: now))
            }
            return deleted
        }
    }

    // MARK: Zones and tokens

    func zones(_ request: Request) throws(BadRequest) -> Answer {
        let command = try Command(request.body, knows: CloudEdits.keys + ["create", "delete"])
        let place = try CloudPlace(cloudKit, command)
        let made = try command.strings("create") ?? []
        let gone = try command.strings("delete") ?? []
        guard !place.database.isPublic else {
            throw BadRequest("the public database has no custom zones")
        }
        return try run(command) {
            for name in made { place.database.createZone(name) }
            return made.count + gone.filter { place.database.deleteZone($0) }.count
        }
    }

    /// Web tokens, sync tokens or markers, of one user or of all.
    func expire(_ request: Request) throws(BadRequest) -> Answer {
        let command = try Command(
            request.body,
            knows: CloudContainerKey.commandKeys + [
                "user", "what", "after_requests", "after_op", "after_user",
            ])
        let container = cloudKit.container(try CloudContainerKey(command))
        let user = try command.string("user")
        let known = ["web_tokens", "sync_tokens", "markers"]
        let kinds = try command.strings("what") ?? known
        for kind in kinds where !known.contains(kind) {
            throw BadRequest("'what' may hold \(known.joined(separator: ", "))")
        }
        return try run(command) {
            var count = 0
            if kinds.contains("web_tokens") { count += container.sessions.expire(user: user) }
            for database in container.databases(of: user) {
                if kinds.contains("sync_tokens") { database.tokenEpoch += 1 }
                if kinds.contains("markers") { database.markerEpoch += 1 }
            }
            return count
        }
    }
}

extension Command {
    /// A time as text or as milliseconds.
    func instant(_ key: String) throws(BadRequest) -> Milliseconds? {
        if let milliseconds = value(key)?.whole { return milliseconds }
        return try time(key)
    }
}
