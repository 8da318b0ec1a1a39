/// The control surface: commands of tests, and the oracle they check against.
struct Control {
    let world: World
    /// Holds the answers that are delayed, and those that hang.
    let timer: ConnectionTimer

    func answer(_ request: Request) -> Answer {
        let path = request.segments.dropFirst().joined(separator: "/")
        do throws(BadRequest) {
            if let answer = try CloudControl(cloudKit: world.cloudKit).answer(request) {
                return answer
            }
            switch (request.method, path) {
            case ("GET", _):
                return try ControlQueries(world: world).answer(path, request) ?? unknown(request)
            case ("POST", _): return try command(path, request) ?? unknown(request)
            case ("DELETE", "faults"): return try removeFaults(request)
            default: return unknown(request)
            }
        } catch {
            return .error(400, error.message)
        }
    }

    private func unknown(_ request: Request) -> Answer {
        .error(404, "no control \(request.method) \(request.path)")
    }

    private func command(_ path: String, _ request: Request) throws(BadRequest) -> Answer? {
        switch path {
        case "faults", "cloudkit/faults":
            let id = try world.faults.add(request.body)
            return .json(200, JSONText.object { $0.field("id", id) })
        case "users": return try addUsers(request)
        case "change": return try change(request)
        case "forget": return try forget(request)
        case "auth": return try authorise(request)
        case "settings": return try set(request)
        case "release":
            timer.release()
            return .message("released")
        case "hurry":
            timer.hurry()
            return .message("hurried")
        case "reset":
            world.reset()
            timer.release()
            return .message("reset")
        default: return nil
        }
    }

    private func removeFaults(_ request: Request) throws(BadRequest) -> Answer {
        let id = try request.number("id")
        return world.faults.remove(id) ? .message("removed") : .error(404, "no such fault")
    }

    private func addUsers(_ request: Request) throws(BadRequest) -> Answer {
        let command = try Command(
            request.body,
            knows: [
                "id", "prefix", "first", "count", "videos", "videos_min", "videos_max",
                "registered",
            ])
        let sizes = 0...100_000_000
        let exact = try command.int("videos", in: sizes)
        let least = try command.int("videos_min", in: sizes) ?? world.options.videosMin
        let most = try command.int("videos_max", in: sizes) ?? world.options.videosMax
        let (low, high) = (exact ?? least, exact ?? most)
        guard low <= high else { throw BadRequest("'videos_min' is above 'videos_max'") }
        let registered = try command.bool("registered") ?? false
        if let id = try command.string("id") {
            let user = world.users.put(
                id, videosMin: low, videosMax: high, registered: registered)
            return .json(200, JSONText.object { $0.field("videos", user.baseCount) })
        }
        let cohort = Users.Cohort(
            prefix: try command.string("prefix") ?? "user-",
            first: try command.int("first", in: 0...sizes.upperBound) ?? 1,
            count: try command.int("count", in: 1...10_000_000) ?? 1,
            videosMin: low, videosMax: high, isRegistered: registered)
        guard world.users.add(cohort) else { throw BadRequest("these users exist already") }
        return .json(
            200,
            JSONText.object {
                $0.field("first", cohort.name(0))
                $0.field("last", cohort.name(cohort.count - 1))
            })
    }

    private func change(_ request: Request) throws(BadRequest) -> Answer {
        let command = try Command(request.body, knows: Change.keys)
        let name = try command.needed("user")
        let change = try Change.parse(command)
        let pages = try command.int("after_pages", in: 1...Int(Int32.max))
        let ids = try world.users.change(name) { (user) throws(BadRequest) -> [String] in
            guard let pages else { return try user.apply(change) }
            user.pageScripts.append(User.PageScript(pages: pages, change: change))
            return []
        }
        return .json(200, JSONText.object { $0.array("ids", of: ids) { $1.string($0) } })
    }

    private func forget(_ request: Request) throws(BadRequest) -> Answer {
        let command = try Command(request.body, knows: ["user", "all"])
        if try command.bool("all") ?? false {
            world.users.forgetAll()
            return .message("all forgotten")
        }
        let known = world.users.forget(try command.needed("user"))
        return known ? .message("forgotten") : .error(404, "User not found")
    }

    private func authorise(_ request: Request) throws(BadRequest) -> Answer {
        let command = try Command(
            request.body,
            knows: ["user", "type", "name", "password", "token", "value"] + OAuth.keys)
        let user = try command.needed("user")
        let credential: Credential
        if try command.string("type") == "oauth2" {
            try world.oauth.add(command, for: user)
            // Nothing is good before the first token is issued.
            credential = .bearer("")
        } else {
            credential = try Credential.parse(command)
        }
        world.users.change(user) { $0.credential = credential }
        return .message("set")
    }

    private func set(_ request: Request) throws(BadRequest) -> Answer {
        let command = try Command(
            request.body, knows: ["paging", "page_delay_ms", "reconcile_limit"])
        if let paging = try command.string("paging") {
            guard let paging = Settings.Paging(rawValue: paging) else {
                throw BadRequest("'paging' must be cursor or since")
            }
            world.settings.paging = paging
        }
        if let delay = try command.int("page_delay_ms", in: 0...3_600_000) {
            world.settings.pageDelay = Milliseconds(delay)
        }
        if let limits = try command.bool("reconcile_limit") {
            world.settings.limitsReconcile = limits
        }
        return .message("set")
    }
}
