import JSON
import JobFiles
import JobQueue
import Pages
import Postgres
import Serving
import Synchronization

/// The pages of `serve`: it finds out who asks, and lets the database decide what he may see and do.
struct ServePages: Sendable {
    /// Who asks.
    private struct Visitor {
        /// As he has signed in; nil means nobody in particular, who may look.
        var name: String?
        var hasSession = false
    }

    private let reader: ScreenReader
    private let gate: ServeGate
    private let takesActs: Bool
    private let sessions = ServeSessions()
    private let acting = Turn()

    init(_ reader: ScreenReader, _ gate: ServeGate, takesActs: Bool) {
        self.reader = reader
        self.gate = gate
        self.takesActs = takesActs
    }

    private static let others: Set<String> = ["/act", "/look", "/live", "/sign-in", "/sign-out"]

    /// The request is for a page, or for what pages need.
    func answers(_ request: ServedRequest) -> Bool {
        Screen(rawValue: request.path) != nil || Self.others.contains(request.path)
            || Asset.at(request.path) != nil
    }

    /// What is said when the database does not answer.
    func away() -> ServedResponse {
        notice(503, "Not now", "The database does not answer, or refuses. The log says why.")
    }

    /// Answers; `check` throws when the server's login may do too much.
    ///
    /// Throws what the database does when it is away.
    func answer(
        _ request: ServedRequest, _ check: () async throws -> Void
    ) async throws -> ServedResponse {
        let admission = gate.admission(of: request)
        if case .refused(let response) = admission { return response }
        if let asset = Asset.at(request.path) {
            return ServedResponse(200, asset.text, type: asset.type)
        }
        if request.isPost, !request.isFromOwnPage {
            return notice(
                403, "Not from here", "Forms are taken from this server's own pages alone.")
        }
        switch request.path {
        case "/sign-in": return await signIn(request)
        case "/sign-out": return signOut(request)
        default: break
        }
        guard let visitor = visitor(request, admission) else { return stranger(request) }
        try await check()
        return try await explained { try await answer(request, visitor) }
    }

    private func answer(
        _ request: ServedRequest, _ visitor: Visitor
    ) async throws -> ServedResponse {
        var viewer = Viewer()
        if let name = visitor.name { viewer = try await reader.viewer(signedInAs: name) }
        let frame = Frame(person: viewer.person, canSignOut: visitor.hasSession)
        switch (request.path, request.isPost) {
        case ("/act", false): return try await confirm(request, viewer, frame)
        case ("/act", true): return try await act(request, viewer, frame)
        case ("/look", true): return try await look(request, viewer, frame)
        case ("/live", false): return try await live(request, viewer)
        default:
            guard let screen = Screen(rawValue: request.path), !request.isPost else {
                return notice(405, "Not so", "This is asked for, and not posted.")
            }
            let place = Place(screen, query: request.query)
            guard let seen = try await see(screen, place, viewer) else {
                return notice(
                    400, "What?", "This screen needs \(screen.required.joined(separator: " and "))."
                )
            }
            return ServedResponse(page: frame.page(screen, seen))
        }
    }

    // MARK: Looking

    /// Nil when the place lacks what the screen needs.
    private func see(_ screen: Screen, _ place: Place, _ viewer: Viewer) async throws -> Seen? {
        guard screen.required.allSatisfy({ place[$0] != nil }) else { return nil }
        let isJudged = screen == .overview || screen == .late
        let looked = try await reader.look(
            by: viewer, screen.questions(place),
            health: isJudged ? [.waiting, .workers, .counting] : [],
            explaining: screen == .story ? (place["tenant"] ?? "", place["user"] ?? "") : nil)
        var seen = Seen(
            place: place, rows: looked.rows, at: looked.at,
            mayAct: takesActs && viewer.role != nil && looked.rights.mayAct)
        seen.mayLook = viewer.role != nil
        seen.reasons = looked.reasons
        seen.edits = looked.edits
        if screen == .file, let text = looked.rows[0].first?["expanded"]?.indentedText {
            seen.statements = try? renderedSQL(of: JobFile.parse(text, file: "stored").get())
        }
        if isJudged {
            var answers = looked.health
            if screen == .overview { answers[.causes] = looked.rows[0] }
            seen.judgement = judgement(answers)
        }
        return seen
    }

    private func judgement(_ answers: HealthAnswers) -> Judgement {
        let verdict = HealthVerdict(healthOfJobs(answers))
        return Judgement(
            word: verdict.word, reasons: verdict.reasons,
            waiting: WaitingReason.all(answers[.waiting] ?? []).map {
                ($0.reason, $0.words, $0.hint)
            })
    }

    /// One event with the screen as it is now, and when the browser is to ask again: no connection is held meanwhile.
    private func live(_ request: ServedRequest, _ viewer: Viewer) async throws -> ServedResponse {
        guard let place = request.parameter("of").flatMap({ Place(named: $0) }),
            let screen = Screen(rawValue: place.path), screen.isLive
        else { return notice(400, "What?", "No screen of that place changes by itself.") }
        guard let seen = try await see(screen, place, viewer) else { return away() }
        let lines = Frame.main(screen, seen).text.split(separator: "\n").map { "data: \($0)\n" }
        var response = ServedResponse(
            200, "retry: \(Self.liveMilliseconds)\nevent: screen\n\(lines.joined())\n",
            type: "text/event-stream")
        response.headers = pageHeaders
        return response
    }

    private static let liveMilliseconds = 5000

    // MARK: Acting

    private func jobs(_ value: (String) -> String?) -> ViewQuery.Jobs {
        func given(_ name: String) -> String? { value(name).flatMap { $0.isEmpty ? nil : $0 } }
        return ViewQuery.Jobs(
            tenant: given("tenant") ?? "", user: given("user"), job: given("job"),
            source: given("source"), kind: given("kind"))
    }

    private func confirm(
        _ request: ServedRequest, _ viewer: Viewer, _ frame: Frame
    ) async throws -> ServedResponse {
        guard takesActs, viewer.role != nil else { return mayNot }
        let act = request.parameter("act") ?? ""
        guard Confirmation.acts[act] != nil else {
            return notice(400, "What?", "There is no such act.")
        }
        let jobs = jobs { request.parameter($0) }
        let count =
            Confirmation.actsOnNoJobs.contains(act)
            ? nil : try await reader.count(by: viewer, jobs)
        let question = Confirmation(
            act: act, jobs: jobs, count: count,
            back: request.parameter("back").flatMap { Place(named: $0) } ?? Place("/"))
        return ServedResponse(page: frame.page(title: "Are you sure?", says: question.html()))
    }

    private func act(
        _ request: ServedRequest, _ viewer: Viewer, _ frame: Frame
    ) async throws -> ServedResponse {
        guard takesActs, viewer.role != nil else { return mayNot }
        let act = request.field("act") ?? ""
        let jobs = jobs { request.field($0) }
        let back = request.field("back").flatMap { Place(named: $0) } ?? Place("/")
        let why = request.field("why").flatMap { $0.isEmpty ? nil : $0 }
        guard acting.begin() else {
            return notice(409, "Not now", "Another act is under way: nothing was done. Try again.")
        }
        defer { acting.end() }
        let acted: Acted
        switch act {
        case "close-breaker":
            acted = try await reader.closeBreaker(
                by: viewer, tenant: jobs.tenant, source: jobs.source ?? "", why: why)
        case "renew-key":
            let isAsked = try await reader.renewKey(by: viewer, tenant: jobs.tenant, why: why)
            return ServedResponse(
                page: frame.page(title: "Done", says: Notice.renewed(isAsked, back: back)))
        default:
            guard let confirmed = request.field("count").flatMap({ Int($0) }) else {
                return notice(400, "What?", "The number of jobs is missing.")
            }
            acted = try await reader.act(by: viewer, act, on: jobs, confirmed: confirmed, why: why)
        }
        return ServedResponse(
            page: frame.page(title: "Done", says: Notice.done(act, acted, back: back)))
    }

    private func look(
        _ request: ServedRequest, _ viewer: Viewer, _ frame: Frame
    ) async throws -> ServedResponse {
        guard viewer.role != nil else { return mayNot }
        let (tenant, user, table) = (
            request.field("tenant") ?? "", request.field("user") ?? "", request.field("table") ?? ""
        )
        let rows = try await reader.rows(by: viewer, tenant: tenant, user: user, table: table)
        let back = Place("/story", ["tenant": tenant, "user": user])
        return ServedResponse(
            page: frame.page(title: "Rows", says: Notice.rows(rows, table: table, back: back)))
    }

    private var mayNot: ServedResponse {
        notice(
            403, "Not you",
            takesActs
                ? "You have not signed in as somebody who may act: jobrunner person add says who may."
                : "This server takes no acts: it was started without --actions.")
    }

    /// What the database refuses is said to whoever asked, and not told as its absence.
    private func explained(
        _ body: () async throws -> ServedResponse
    ) async throws -> ServedResponse {
        do { return try await body() } catch let error as RoleRefused {
            return notice(
                403, "Not you",
                "You act by role \(error.role), which is gone, or which the login of this server may not take on."
            )
        } catch QueueError.refused(let message, let hint) {
            return notice(422, "Not so", [message, hint].compactMap { $0 }.joined(separator: ". "))
        } catch let error as DatabaseError {
            switch error.sqlstate?.prefix(2) {
            case "42" where error.sqlstate == "42501":
                return notice(403, "Not you", "Your role may not do or read that.")
            case "42" where error.sqlstate == "42P01":
                return notice(404, "Not there", "There is no such table.")
            case "55" where error.sqlstate == "55P03":
                return notice(
                    409, "Not now",
                    "Somebody else holds a lock on that: nothing was done. jobrunner doctor says who does."
                )
            case "40":
                return notice(
                    409, "Not now", "Something else came in between: nothing was done. Try again.")
            case "57" where error.sqlstate == "57014":
                return notice(
                    503, "Too much",
                    "That took too long, and was given up: nothing was done. Choose less.")
            case "22":
                return notice(400, "What?", "A value is none: times are like 2026-11-24T14:00:00Z.")
            default: throw error
            }
        }
    }

    // MARK: Signing in

    private func visitor(_ request: ServedRequest, _ admission: ServeGate.Admission) -> Visitor? {
        if case .admitted(let name) = admission, name != nil { return Visitor(name: name) }
        let isByHand = request.path != "/live"
        if let name = request.session.flatMap({ sessions.name(of: $0, isByHand: isByHand) }) {
            return Visitor(name: name, hasSession: true)
        }
        return admission == .admitted(nil) ? Visitor() : nil
    }

    private func stranger(_ request: ServedRequest) -> ServedResponse {
        guard gate.hasTokens, let screen = Screen(rawValue: request.path), !request.isPost else {
            return notice(401, "Who are you?", "Sign in first.")
        }
        // A link from elsewhere comes without our cookie; the same link from a page of ours has it.
        if request.header("Sec-Fetch-Site") == "cross-site" {
            var again = notice(200, "One moment", "The page follows.")
            again.headers.append(("Refresh", "0"))
            return again
        }
        let place = Place(screen, query: request.query)
        return ServedResponse(seeing: Place("/sign-in", ["next": place.text]))
    }

    private func signIn(_ request: ServedRequest) async -> ServedResponse {
        let next = (request.isPost ? request.field("next") : request.parameter("next"))
            .flatMap { Place(named: $0) }
        func form(wasWrong: Bool) -> ServedResponse {
            ServedResponse(
                wasWrong ? 401 : 200,
                page: Frame().page(
                    title: "Sign in", says: Notice.signIn(next: next, wasWrong: wasWrong)))
        }
        guard gate.hasTokens else {
            return notice(404, "Not here", "Nobody signs in here: this server was given no tokens.")
        }
        guard request.isPost else { return form(wasWrong: false) }
        guard let name = gate.name(ofToken: request.field("token") ?? "") else {
            // Whoever tries one after the other waits.
            try? await Task.sleep(for: .seconds(1))
            return form(wasWrong: true)
        }
        var response = ServedResponse(seeing: next ?? Place("/"))
        let isSecure = request.header("Origin")?.hasPrefix("https:") ?? false
        response.headers.append(
            (
                "Set-Cookie",
                "\(ServeSessions.cookie)=\(sessions.begin(name)); Path=/; HttpOnly; SameSite=Strict"
                    + (isSecure ? "; Secure" : "")
            ))
        return response
    }

    private func signOut(_ request: ServedRequest) -> ServedResponse {
        guard request.isPost else { return notice(405, "Not so", "Signing out is posted.") }
        if let key = request.session { sessions.end(key) }
        var response = ServedResponse(seeing: Place("/sign-in"))
        response.headers.append(
            ("Set-Cookie", "\(ServeSessions.cookie)=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict")
        )
        return response
    }

    private func notice(_ status: Int, _ title: String, _ words: String) -> ServedResponse {
        ServedResponse(status, page: Frame().page(title: title, says: Notice.refused(words)))
    }
}

/// One act at a time: it holds one of two sessions, and the other one is for those who look.
private final class Turn: Sendable {
    private let isTaken = Mutex(false)

    /// False when somebody has it.
    func begin() -> Bool {
        isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
    }

    func end() { isTaken.withLock { $0 = false } }
}
