/// What the server holds: the oracle of tests.
struct CloudDump {
    let cloudKit: CloudKit

    /// `?container&environment&database&user&zone&type&deleted=true&history=true`.
    func answer(_ request: Request) throws(BadRequest) -> Answer {
        let place = try CloudPlace(cloudKit, request)
        guard let zone = place.database.zones[place.zoneName] else {
            return .error(404, "no such zone")
        }
        let type = request.query("type")
        let hasDeleted = request.query("deleted") == "true"
        let hasHistory = request.query("history") == "true"
        let records = zone.ordered.filter { record in
            guard let last = record.last else { return false }
            return (type == nil || type == last.type) && (hasDeleted || !last.isDeleted)
        }
        let id = CloudZoneID(name: zone.name, owner: place.database.owner)
        let shape = CloudShape(zone: id, uuid: "")
        return .json(
            200,
            JSONText.object { json in
                json.array("records", of: records) { record, json in
                    write(record, record.versions.suffix(1), shape, into: &json)
                    guard hasHistory else { return }
                    _ = json.bytes.popLast()
                    json.array("history", of: record.versions) { version, json in
                        write(record, [version], shape, into: &json)
                    }
                    json.raw("}")
                }
                json.field("now_ms", Int(cloudKit.clock.now))
            })
    }

    /// One version in the form of the wire, and its number.
    private func write(
        _ record: CloudRecord, _ versions: ArraySlice<CloudRecord.Version>, _ shape: CloudShape,
        into json: inout JSONText
    ) {
        guard let version = versions.first else { return }
        if version.isDeleted {
            json.raw("{")
            json.field("recordName", record.name)
            json.field("recordType", version.type)
            json.field("deleted", true)
            json.field("deletedTimestamp", Int(version.modified.time))
            json.raw("}")
        } else {
            version.write(record.name, shape, into: &json)
        }
        _ = json.bytes.popLast()
        json.field("version", version.number)
        json.field("writtenAt", Int(version.writtenAt))
        json.raw("}")
    }
}
