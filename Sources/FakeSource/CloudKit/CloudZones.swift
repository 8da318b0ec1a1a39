/// `zones/…` and `changes/database`: which zones there are, and which changed.
struct CloudZones {
    let call: CloudCall

    private var database: CloudDatabase { call.database }

    func list() -> Answer {
        let zones = database.zones.values.filter { !database.isShared || !$0.isDefault }
            .sorted { $0.name < $1.name }
        return call.answer(served: served(zones.map(\.name))) { json in
            json.array("zones", of: zones) { write($0, into: &$1) }
        }
    }

    private func served(_ names: [String]) -> Answer.Served {
        Answer.Served(records: names.count, first: names.first, last: names.last)
    }

    private func write(_ zone: CloudZone, into json: inout JSONText) {
        json.raw("{")
        var id = call.id(zone)
        id.type = zone.isDefault ? "DEFAULT_ZONE" : "REGULAR_CUSTOM_ZONE"
        id.write(into: &json)
        if !database.isPublic, !zone.isDefault {
            json.field("syncToken", call.token(zone, at: zone.end).text)
        }
        json.field("atomic", !database.isPublic && !zone.isDefault)
        json.raw("}")
    }

    func lookup() throws(CloudError) -> Answer {
        guard let asked = call.body["zones"]?.elements else { throw .badRequest("Missing zones") }
        var names: [String] = []
        for item in asked {
            guard let name = item["zoneName"]?.text else { throw .badRequest("Missing zoneName") }
            names.append(name)
        }
        let owned = Set(zip(names, asked).filter { call.isOwned($1) }.map(\.0))
        return call.answer(served: served(names)) { json in
            json.array("zones", of: names) { name, json in
                if let error = call.commandedZoneError(name) {
                    error.write(zone: call.id(name), into: &json, uuid: call.uuid)
                } else if let zone = database.zones[name], owned.contains(name) {
                    write(zone, into: &json)
                } else {
                    CloudError.zoneNotFound
                        .write(zone: call.id(name), into: &json, uuid: call.uuid)
                }
            }
        }
    }

    // MARK: Creating and deleting

    private enum Outcome {
        case zone(CloudZone)
        case deleted
        case error(CloudError)
    }

    func modify() throws(CloudError) -> Answer {
        if database.isPublic { throw .badRequest("the public database has no custom zones") }
        if database.isShared { throw .badRequest("zones are made by their owners") }
        guard let operations = call.body["operations"]?.elements else {
            throw .badRequest("Missing operations")
        }
        guard operations.count <= CloudSettings.pageMax else {
            throw .badRequest("Too many operations")
        }
        var outcomes: [(name: String, outcome: Outcome)] = []
        for operation in operations {
            guard let name = operation["zone"]?["zoneID"]?["zoneName"]?.text else {
                throw .badRequest("Missing zoneName")
            }
            guard !outcomes.contains(where: { $0.name == name }) else {
                throw .badRequest("more than one operation for a zone")
            }
            outcomes.append((name, perform(operation["operationType"]?.text, on: name)))
        }
        return call.answer(served: served(outcomes.map(\.name))) { json in
            json.array("zones", of: outcomes) { item, json in
                switch item.outcome {
                case .zone(let zone): write(zone, into: &json)
                case .error(let error):
                    error.write(zone: call.id(item.name), into: &json, uuid: call.uuid)
                case .deleted:
                    json.raw("{")
                    call.id(item.name).write(into: &json)
                    json.field("deleted", true)
                    json.raw("}")
                }
            }
        }
    }

    private func perform(_ type: String?, on name: String) -> Outcome {
        if let error = call.commandedZoneError(name) { return .error(error) }
        switch type {
        case "create":
            if let existing = database.zones[name], call.settings.existingZone != .zone,
                !existing.isDefault
            {
                return .error(
                    CloudError(call.settings.existingZone.rawValue, "zone already exists"))
            }
            return .zone(database.createZone(name))
        case "delete":
            if name == CloudZoneID.defaultName {
                return .error(.badRequest("the default zone can't be deleted"))
            }
            return database.deleteZone(name) ? .deleted : .error(.zoneNotFound)
        default: return .error(.badRequest("unknown operationType"))
        }
    }

    // MARK: Changes of the database

    /// `changes/database`; the deprecated `zones/changes` names its token differently.
    func changes(tokenKey: String) throws(CloudError) -> Answer {
        let limit = try call.limit(call.body["resultsLimit"])
        var position = 0
        if let sent = call.body[tokenKey] {
            switch CloudToken.read(sent.text ?? "", as: .database) {
            case .failure(let fault): throw fault.error
            case .success(let token):
                guard token.scope == database.id, token.epoch == database.tokenEpoch else {
                    throw call.expired
                }
                position = token.position
            }
        }
        let changed = database.zoneChanges.filter { $0.value > position }
            .sorted { $0.value < $1.value }
        let page = changed.prefix(limit)
        let hasMore = changed.count > page.count
        let end = page.last?.value ?? position
        let token = CloudToken(
            kind: .database, scope: database.id, epoch: database.tokenEpoch, position: end)
        var served = served(page.map(\.key))
        served.next = token.text
        return call.answer(served: served) { json in
            json.array("zones", of: page) { change, json in
                json.raw("{")
                call.id(change.key).write(into: &json)
                if database.zones[change.key] == nil { json.field("deleted", true) }
                json.raw("}")
            }
            json.field(tokenKey, token.text)
            json.field("moreComing", hasMore)
        }
    }
}
