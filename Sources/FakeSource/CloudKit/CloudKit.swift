/// Apple's CloudKit Web Services: containers, and the way of a request through them.
final class CloudKit {
    let clock = CloudClock()
    private let seed: UInt64
    /// What containers made later start with.
    private var settings = CloudSettings()
    private(set) var containers: [CloudContainerKey: CloudContainer] = [:]
    var scripts: [CloudScript] = []

    init(seed: UInt64) { self.seed = seed }

    /// The container, made at the first look.
    func container(_ key: CloudContainerKey) -> CloudContainer {
        if let known = containers[key] { return known }
        let made = CloudContainer(key, settings: settings, seed: seed)
        containers[key] = made
        return made
    }

    /// Changes the settings of one container, or of all that are and will be.
    func set(_ command: Command, of key: CloudContainerKey?) throws(BadRequest) {
        if let key { return try container(key).settings.set(command) }
        try settings.set(command)
        for container in containers.values { try container.settings.set(command) }
    }

    // MARK: A request's way

    /// What a request is about; nil when it is none of CloudKit's.
    func trace(_ request: Request) -> CloudTrace? {
        guard let path = CloudPath(request.segments) else { return nil }
        let body = try? JSONValue.parse(request.body)
        return CloudTrace(path, request, body, containers[path.container])
    }

    /// Nil when the path is none of CloudKit's.
    func answer(_ request: Request, _ fault: FaultKind?) -> Answer? {
        guard request.segments.first == "database" else { return nil }
        let uuid = CloudDatabase.uuid(seed, request.number)
        guard let path = CloudPath(request.segments) else {
            return stamped(CloudError("NOT_FOUND", "no such path").answer(uuid: uuid), uuid)
        }
        var answer: Answer
        do throws(CloudError) {
            answer = try reply(request, path, fault, uuid)
        } catch {
            answer = error.answer(uuid: uuid)
        }
        return stamped(answer, uuid)
    }

    private func stamped(_ answer: Answer, _ uuid: String) -> Answer {
        var answer = answer
        answer.headers.append(("X-Apple-Request-UUID", uuid))
        answer.headers.append(("X-Apple-CloudKit-Version", "1.0"))
        return answer
    }

    private func reply(
        _ request: Request, _ path: CloudPath, _ fault: FaultKind?, _ uuid: String
    ) throws(CloudError) -> Answer {
        let container = containers[path.container]
        let settings = container?.settings ?? settings
        if let answer = fault?.cloudReplacement(settings, uuid: uuid, number: request.number) {
            return answer
        }
        guard path.operation.allows(request.method) else {
            var error = CloudError.badRequest("Method not allowed")
            error.status = 405
            throw error
        }
        let caller = try CloudCaller.identify(request, path, container)
        guard let container else { throw .authenticationFailed }
        if let answer = throttled(request, caller, container) { return answer }
        var answer: Answer
        do throws(CloudError) {
            answer = try perform(request, path, container, caller, fault, uuid)
        } catch {
            answer = error.answer(uuid: uuid)
        }
        if let sent = caller.webToken,
            let next = container.sessions.rotate(sent, container.settings.tokenMode)
        {
            answer.headers.append((container.settings.tokenHeader.rawValue, next))
        }
        return answer
    }

    private func throttled(
        _ request: Request, _ caller: CloudCaller, _ container: CloudContainer
    ) -> Answer? {
        guard let rate = container.settings.rate else { return nil }
        let now = clock.now
        let name = caller.user ?? "_world"
        var recent = container.arrivals[name, default: []].filter { $0 > now - rate.window }
        defer { container.arrivals[name] = recent }
        guard recent.count < rate.requests else {
            return CloudThrottle(retryAfter: rate.retryAfter)
                .answer(container.settings, number: request.number)
        }
        recent.append(now)
        return nil
    }

    private func perform(
        _ request: Request, _ path: CloudPath, _ container: CloudContainer, _ caller: CloudCaller,
        _ fault: FaultKind?, _ uuid: String
    ) throws(CloudError) -> Answer {
        let database = container.database(path.database, of: caller.user ?? "")
        var body = JSONValue.object([:])
        if !request.body.isEmpty {
            guard let parsed = try? JSONValue.parse(request.body), parsed.members != nil else {
                throw .badRequest("Unexpected input")
            }
            body = parsed
        }
        let call = CloudCall(
            container: container, database: database, operation: path.operation, caller: caller,
            request: request, body: body, uuid: uuid, clock: clock, fault: fault)
        if path.operation.isFeed, database.isPublic {
            throw .badRequest("the public database has no change feed")
        }
        switch path.operation {
        case .query: return try CloudQuery(call).answer()
        case .lookup: return try CloudLookup(call: call).answer()
        case .modify:
            var modify = try CloudModify(call)
            return modify.answer()
        case .recordChanges: return try CloudFeed(call: call).records()
        case .zoneChanges: return try CloudFeed(call: call).zones()
        case .databaseChanges: return try CloudZones(call: call).changes(tokenKey: "syncToken")
        case .oldDatabaseChanges:
            return try CloudZones(call: call).changes(tokenKey: "metaSyncToken")
        case .listZones: return CloudZones(call: call).list()
        case .lookupZones: return try CloudZones(call: call).lookup()
        case .modifyZones: return try CloudZones(call: call).modify()
        case .currentUser, .caller:
            return call.answer { json in
                json.field("userRecordName", caller.user ?? "")
                json.field("firstName", "Test")
                json.field("lastName", "User")
            }
        }
    }

    /// Runs the commands that waited for this request.
    func runScripts(after trace: CloudTrace) {
        for place in scripts.indices where scripts[place].matches(trace) {
            scripts[place].requests -= 1
        }
        let due = scripts.filter { $0.requests == 0 }
        scripts.removeAll { $0.requests == 0 }
        for script in due { script.run() }
    }
}
