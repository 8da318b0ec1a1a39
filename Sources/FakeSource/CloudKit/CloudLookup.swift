/// `records/lookup`: records by name, without the index's lag.
struct CloudLookup {
    let call: CloudCall

    func answer() throws(CloudError) -> Answer {
        let zone = try call.zone(call.body["zoneID"])
        guard let asked = call.body["records"]?.elements else {
            throw .badRequest("Missing records")
        }
        guard asked.count <= CloudSettings.pageMax else { throw .badRequest("Too many records") }
        var found: [(name: String, shape: CloudShape)] = []
        for item in asked {
            guard let name = item["recordName"]?.text else {
                throw .badRequest("Missing recordName")
            }
            let keys = item["desiredKeys"] ?? call.body["desiredKeys"]
            found.append((name, try call.shape(zone, desiredKeys: keys)))
        }
        var served = Answer.Served()
        for (name, _) in found {
            if let version = zone.live(name) { served.add(name, version.number) }
        }
        return call.answer(served: served) { json in
            var place = 0
            json.array("records", of: found) { item, json in
                defer { place += 1 }
                if let error = call.commandedError(item.name, at: place) {
                    error.write(record: item.name, into: &json, uuid: call.uuid)
                } else if let version = zone.live(item.name) {
                    version.write(item.name, item.shape, into: &json)
                } else {
                    CloudError("NOT_FOUND", "Record not found")
                        .write(record: item.name, into: &json, uuid: call.uuid)
                }
            }
        }
    }
}
