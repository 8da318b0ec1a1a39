/// Everything the program knows, touched by libmicrohttpd's thread only.
final class World {
    let options: FakeSourceOptions
    var users: Users
    var settings: Settings
    var faults: Faults
    private(set) var cloudKit: CloudKit
    let log: RequestLog
    let versions: VersionLog
    let oauth = OAuth()
    var counters = Counters()
    /// Requests from before the last reset are not counted when they end.
    private var firstNumber = 1

    struct Counters {
        var requests = 0
        var completed = 0
        var cut = 0
        var records = 0
        var faults = 0
        var byStatus: [Int: Int] = [:]
    }

    init(_ options: FakeSourceOptions, logFile: Int32?) {
        self.options = options
        users = World.users(options)
        settings = World.settings(options)
        faults = Faults(seed: options.seed)
        cloudKit = CloudKit(seed: options.seed)
        log = RequestLog(file: logFile)
        versions = VersionLog(isOn: options.logsVersions)
    }

    func reset() {
        users = World.users(options)
        settings = World.settings(options)
        faults = Faults(seed: options.seed)
        cloudKit = CloudKit(seed: options.seed)
        log.clear()
        versions.clear()
        counters = Counters()
        firstNumber = log.nextNumber
    }

    private static func users(_ options: FakeSourceOptions) -> Users {
        let users = Users(
            seed: options.seed, videosMin: options.videosMin, videosMax: options.videosMax)
        if options.users > 0 {
            _ = users.add(
                Users.Cohort(
                    prefix: "user-", first: 1, count: options.users, videosMin: options.videosMin,
                    videosMax: options.videosMax, isRegistered: false))
        }
        return users
    }

    private static func settings(_ options: FakeSourceOptions) -> Settings {
        Settings(
            paging: options.pagesBySince ? .since : .cursor,
            pageDelay: Milliseconds(options.pageDelay))
    }

    // MARK: A request's way

    /// The answer to anything but a control command; logged as open.
    func answer(_ arrived: Request) -> Answer {
        var request = arrived
        request.cloud = cloudKit.trace(request)
        open(request)
        let fault = faults.strike(request)
        var answer = fault?.kind.replacement(request) ?? source(request, fault?.kind)
        if let fault {
            counters.faults += 1
            fault.kind.apply(to: &answer)
        }
        let isData =
            request.segments.last == "feed"
            || ["generic", "worker", "database"].contains(request.segments.first)
        answer.delay = (fault?.delay ?? 0) + (isData ? settings.pageDelay : 0)
        if isData, answer.status == 200, fault?.kind.replacement(request) == nil {
            if let cloud = request.cloud {
                cloudKit.runScripts(after: cloud)
            } else {
                runScripts(of: request.user)
            }
        }
        note(answer, to: request, fault)
        return answer
    }

    private func source(_ request: Request, _ fault: FaultKind?) -> Answer {
        let token = oauth.answer(request) { name, token in
            users.change(name) { $0.credential = .bearer(token) }
        }
        if let token { return token }
        if let answer = cloudKit.answer(request, fault) { return answer }
        if let answer = cloudKit.asset(request) { return answer }
        if let answer = FilmDatabase().answer(request) { return answer }
        if let name = request.user, let user = users.find(name), !user.credential.admits(request) {
            var answer = Answer.error(401, "Unauthorized")
            answer.headers.append(("WWW-Authenticate", "Bearer realm=\"fake-source\""))
            return answer
        }
        do throws(BadRequest) {
            let hub = Hub(users: users, settings: settings)
            if let answer = try hub.answer(request, fault) { return answer }
            if let answer = try GenericSource(users: users).answer(request, fault) { return answer }
            if let answer = try VideoBackend(users: users).answer(request) { return answer }
            return .error(404, "Not found")
        } catch {
            return .error(400, error.message)
        }
    }

    private func runScripts(of name: String?) {
        guard let name, let user = users.find(name), !user.pageScripts.isEmpty else { return }
        users.change(name) { user in
            for place in user.pageScripts.indices { user.pageScripts[place].pages -= 1 }
            let due = user.pageScripts.filter { $0.pages == 0 }
            user.pageScripts.removeAll { $0.pages == 0 }
            for script in due { _ = try? user.apply(script.change) }
        }
    }

    // MARK: The logs

    private func open(_ request: Request) {
        counters.requests += 1
        log.open(
            RequestLog.Entry(
                number: request.number, monotonic: monotonicClock(), wall: wallClock(),
                method: request.method, path: request.path, user: request.user,
                since: request.query("since"), cursor: request.query("cursor"),
                limit: request.query("limit"), heard: request.heard, cloud: request.cloud))
    }

    private func note(_ answer: Answer, to request: Request, _ fault: Fault?) {
        counters.records += answer.served.records
        var answered = true
        if case .reply = answer.delivery {} else { answered = false }
        if answered { counters.byStatus[answer.status, default: 0] += 1 }
        versions.add(answer.served, to: request.user ?? "", request: request.number)
        log.change(request.number) { entry in
            entry.status = answered ? answer.status : 0
            entry.served = answer.served
            entry.served.versions = []
            entry.fault = fault?.name
        }
    }

    /// The end of a request, with the bytes of the body handed to the network.
    func close(_ number: Int, bytes: Int, isComplete: Bool) {
        guard number >= firstNumber else { return }
        if isComplete { counters.completed += 1 } else { counters.cut += 1 }
        log.change(number) { $0.bytes = bytes }
        log.close(number, isComplete ? .complete : .cut)
    }
}
