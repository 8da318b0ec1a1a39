/// The commands under `/_control/cloudkit/`.
struct CloudControl {
    let cloudKit: CloudKit

    /// Nil when it is no command of CloudKit's.
    func answer(_ request: Request) throws(BadRequest) -> Answer? {
        let path = request.segments.dropFirst()
        guard path.count == 2, path.first == "cloudkit", let word = path.last else { return nil }
        switch (request.method, word) {
        case ("GET", "records"): return try CloudDump(cloudKit: cloudKit).answer(request)
        case ("GET", "users"): return try users(request)
        case ("POST", "container"): return try open(request)
        case ("POST", "users"): return try addUsers(request)
        case ("POST", "token"): return try mint(request)
        case ("POST", "settings"): return try set(request)
        case ("POST", "schema"): return try setSchema(request)
        case ("POST", "records"): return try CloudEdits(cloudKit: cloudKit).seed(request)
        case ("POST", "edit"): return try CloudEdits(cloudKit: cloudKit).edit(request)
        case ("POST", "delete"): return try CloudEdits(cloudKit: cloudKit).delete(request)
        case ("POST", "zones"): return try CloudEdits(cloudKit: cloudKit).zones(request)
        case ("POST", "expire"): return try CloudEdits(cloudKit: cloudKit).expire(request)
        case ("POST", "clock"): return try moveClock(request)
        case ("POST", "fixture"): return try CloudFixture(cloudKit: cloudKit).answer(request)
        default: return nil
        }
    }

    // MARK: Who may enter

    private func open(_ request: Request) throws(BadRequest) -> Answer {
        let command = try Command(
            request.body, knows: CloudContainerKey.commandKeys + ["api_tokens", "server_keys"])
        let container = cloudKit.container(try CloudContainerKey(command))
        if let tokens = try command.strings("api_tokens") { container.apiTokens = Set(tokens) }
        if command.value("server_keys") != nil {
            var keys: [String: String] = [:]
            for (id, pem) in try command.pairs("server_keys") {
                guard CloudSignature.isKey(pem) else {
                    throw BadRequest("'server_keys.\(id)' is no public key")
                }
                keys[id] = pem
            }
            container.serverKeys = keys
        }
        return .message("opened")
    }

    private func addUsers(_ request: Request) throws(BadRequest) -> Answer {
        let command = try Command(
            request.body,
            knows: CloudContainerKey.commandKeys + ["user", "tokens", "prefix", "first", "count"])
        let container = cloudKit.container(try CloudContainerKey(command))
        if let user = try command.string("user") {
            let tokens = try command.strings("tokens") ?? ["token-\(user)"]
            for token in tokens { container.sessions.add(token, of: user) }
            return list(container, [user])
        }
        let names = numberedNames(
            try command.string("prefix") ?? "user-",
            from: try command.int("first", in: 0...Int(Int32.max)) ?? 1,
            count: try command.int("count", in: 1...1_000_000) ?? 1)
        for name in names { container.sessions.add("token-\(name)", of: name) }
        return list(container, names)
    }

    private func list(_ container: CloudContainer, _ users: [String]) -> Answer {
        .json(
            200,
            JSONText.object { json in
                json.array("users", of: users) { user, json in
                    json.raw("{")
                    json.field("user", user)
                    json.array("tokens", of: container.sessions.tokens(of: user)) {
                        $1.string($0)
                    }
                    json.raw("}")
                }
            })
    }

    private func users(_ request: Request) throws(BadRequest) -> Answer {
        guard let name = request.query("container") else {
            throw BadRequest("?container= is missing")
        }
        let key = try CloudContainerKey(name, in: request.query("environment"))
        let container = cloudKit.container(key)
        let users = request.query("user").map { [$0] } ?? container.sessions.users
        return list(container, users)
    }

    private func mint(_ request: Request) throws(BadRequest) -> Answer {
        let command = try Command(request.body, knows: CloudContainerKey.commandKeys + ["user"])
        let container = cloudKit.container(try CloudContainerKey(command))
        let token = container.sessions.mint(for: try command.needed("user"))
        return .json(200, JSONText.object { $0.field("token", token) })
    }

    // MARK: Switches

    private func set(_ request: Request) throws(BadRequest) -> Answer {
        let command = try Command(
            request.body, knows: CloudContainerKey.commandKeys + CloudSettings.keys)
        let isForOne = command.value("container") != nil
        try cloudKit.set(command, of: isForOne ? try CloudContainerKey(command) : nil)
        return .message("set")
    }

    private func setSchema(_ request: Request) throws(BadRequest) -> Answer {
        let command = try Command(
            request.body, knows: CloudContainerKey.commandKeys + ["types", "keys_write"])
        let container = cloudKit.container(try CloudContainerKey(command))
        let granted = try command.strings("keys_write")
        guard let types = command.value("types")?.members ?? granted.map({ _ in [:] }) else {
            throw BadRequest("'types' must be an object")
        }
        if let granted { container.typesKeysMayWrite = Set(granted) }
        for (name, fields) in types {
            guard let fields = fields.members else {
                container.schema[name] = nil
                continue
            }
            var type = container.schema[name] ?? CloudType()
            for (field, value) in fields {
                let attributes = try Command(value, knows: ["type", "queryable", "sortable"])
                type.fields[field] = CloudType.Attributes(
                    type: try attributes.string("type"),
                    isQueryable: try attributes.bool("queryable") ?? false,
                    isSortable: try attributes.bool("sortable") ?? false)
            }
            container.schema[name] = type
        }
        return .message("set")
    }

    private func moveClock(_ request: Request) throws(BadRequest) -> Answer {
        let command = try Command(request.body, knows: ["set", "advance_ms", "frozen"])
        if let time = try command.time("set"), !cloudKit.clock.set(time) {
            throw BadRequest("'set' is before the clock's time; it only moves forward")
        }
        if let span = try command.int("advance_ms", in: 0...Int(Int32.max) * 1000) {
            cloudKit.clock.advance(Milliseconds(span))
        }
        if let isFrozen = try command.bool("frozen") { cloudKit.clock.freeze(isFrozen) }
        return .json(200, JSONText.object { $0.field("now_ms", Int(cloudKit.clock.now)) })
    }
}
