/// One request to CloudKit with all that an operation needs.
struct CloudCall {
    let container: CloudContainer
    let database: CloudDatabase
    let operation: CloudPath.Operation
    let caller: CloudCaller
    let request: Request
    let body: JSONValue
    let uuid: String
    let clock: CloudClock
    let fault: FaultKind?

    var settings: CloudSettings { container.settings }

    /// The limit in force for a page.
    func limit(_ asked: JSONValue?) throws(CloudError) -> Int {
        let most = min(settings.pageLimit, CloudSettings.pageMax)
        guard let asked else { return most }
        guard let number = asked.whole, number > 0 else {
            throw .badRequest("Invalid resultsLimit")
        }
        return min(Int(clamping: number), most)
    }

    func id(_ zone: CloudZone) -> CloudZoneID { id(zone.name) }

    func id(_ zoneName: String) -> CloudZoneID {
        CloudZoneID(
            name: zoneName, owner: database.owner, ownerKey: settings.ownerKey.rawValue)
    }

    /// The zone a request names; the default one when it names none.
    func zone(_ id: JSONValue?) throws(CloudError) -> CloudZone {
        var name = CloudZoneID.defaultName
        if let id {
            guard let given = id["zoneName"]?.text else { throw .badRequest("Missing zoneName") }
            name = given
        }
        if database.isPublic, name != CloudZoneID.defaultName {
            throw .badRequest("the public database has no custom zones")
        }
        guard let zone = database.zones[name], isOwned(id) else { throw .zoneNotFound }
        return zone
    }

    /// A zone's name alone means one of the caller's own, of which a shared database has none.
    func isOwned(_ id: JSONValue?) -> Bool {
        !database.isShared || id?[settings.ownerKey.rawValue]?.text == database.owner
    }

    func shape(_ zone: CloudZone, desiredKeys: JSONValue?) throws(CloudError) -> CloudShape {
        var keys: Set<String>?
        if let desiredKeys {
            guard let texts = desiredKeys.texts else { throw .badRequest("Invalid desiredKeys") }
            keys = Set(texts)
        }
        return CloudShape(
            desiredKeys: keys, numbersAsStrings: wantsNumberStrings, hasExtras: settings.hasExtras,
            zone: id(zone), uuid: uuid, origin: origin)
    }

    /// The source as the caller has found it.
    var origin: String { "http://\(request.header("Host") ?? "")" }

    /// Apple spells the key differently for the feed of zones; the other spelling is ignored.
    private var wantsNumberStrings: Bool {
        let isFeed = operation == .zoneChanges
        let documented = isFeed ? "numberAsStrings" : "numbersAsStrings"
        let other = isFeed ? "numbersAsStrings" : "numberAsStrings"
        if body[documented]?.flag ?? false { return true }
        return settings.numberStringsKey == .either && body[other]?.flag ?? false
    }

    /// The error commanded for this record, given its place among all of the reply.
    func commandedError(_ name: String, at place: Int) -> CloudError? {
        guard case .recordError(let error, let target)? = fault else { return nil }
        switch target {
        case .name(let wanted): return name == wanted ? error : nil
        case .every(let stride): return (place + 1).isMultiple(of: stride) ? error : nil
        }
    }

    func commandedZoneError(_ name: String) -> CloudError? {
        guard case .zoneError(let error, let zone)? = fault else { return nil }
        return zone == nil || zone == name ? error : nil
    }

    func answer(
        served: Answer.Served = Answer.Served(), _ body: (inout JSONText) -> Void
    ) -> Answer {
        var answer = Answer.json(200, JSONText.object(body))
        answer.served = served
        return answer
    }
}

extension Answer.Served {
    mutating func add(_ name: String, _ version: Int) {
        records += 1
        if first == nil { first = name }
        last = name
        versions.append((name, version))
    }
}
