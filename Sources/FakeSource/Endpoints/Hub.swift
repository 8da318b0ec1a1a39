/// MeTube's hub, as its clients know it.
struct Hub {
    let users: Users
    let settings: Settings

    /// Nil when the path is none of the hub's.
    func answer(_ request: Request, _ fault: FaultKind?) throws(BadRequest) -> Answer? {
        if request.segments == ["health"] {
            return request.method == "GET" ? health() : notAllowed
        }
        guard request.segments.count == 4, request.segments[0] == "api",
            request.segments[1] == "users"
        else { return nil }
        let name = request.segments[2]
        switch (request.method, request.segments[3]) {
        case ("POST", "channels"): return try register(name, request)
        case ("POST", "reconcile"): return reconcile(name)
        case ("GET", "feed"): return try feed(name, request, fault)
        case (_, "channels"), (_, "reconcile"), (_, "feed"): return notAllowed
        default: return nil
        }
    }

    private var notAllowed: Answer { .error(405, "Method not allowed") }
    private var notFound: Answer { .error(404, "User not found") }

    private func health() -> Answer {
        let counts = users.counts
        return .json(
            200,
            JSONText.object { json in
                json.field("status", "healthy")
                json.field("timestamp", iso8601(wallClock()))
                json.key("stats")
                json.raw("{")
                json.field("channels", counts.channels)
                json.field("users", counts.users)
                json.field("videos", counts.videos)
                json.raw("}")
            })
    }

    private func register(_ name: String, _ request: Request) throws(BadRequest) -> Answer {
        let command = try Command(request.body, knows: ["channelIds"])
        guard let channels = try command.strings("channelIds") else {
            throw BadRequest("channelIds is required")
        }
        users.register(name, channels: channels)
        var answer = Answer.message("Channels registered")
        answer.served.records = channels.count
        return answer
    }

    private func reconcile(_ name: String) -> Answer {
        guard let user = users.find(name), user.isRegistered else { return notFound }
        let now = wallClock()
        if settings.limitsReconcile, let last = user.reconciledAt,
            now < last + Settings.reconcileGap
        {
            var answer = Answer.error(429, "Reconciled too recently")
            let wait = (last + Settings.reconcileGap - now + 999) / 1000
            answer.headers.append(("Retry-After", String(wait)))
            return answer
        }
        let found = users.change(name) { user in
            user.reconciledAt = now
            defer { user.pendingVideos = 0 }
            return user.add(user.pendingVideos, at: now, spacing: 1, clean: false).count
        }
        return .json(
            200,
            JSONText.object {
                $0.field("message", "Reconciled")
                $0.field("newVideosCount", found)
            })
    }

    private func feed(
        _ name: String, _ request: Request, _ fault: FaultKind?
    ) throws(BadRequest) -> Answer {
        let limit = try request.limit()
        var since = try request.since()
        var after: Position?
        let sent = request.query("cursor").flatMap { $0.isEmpty ? nil : $0 }
        if let sent {
            if settings.paging == .since, let time = parseISO8601(sent) {
                since = time
            } else {
                after = try Cursor.decode(sent)
            }
        }
        guard let user = users.find(name), user.isRegistered else { return notFound }
        var page = user.videos(since: since, after: after, limit: limit)
        if case .empty? = fault?.cursorFault { page.items = [] }
        page.items += page.items.prefix(fault?.duplicates ?? 0)
        let next = nextCursor(page, request, sent, after, fault)
        return feedAnswer(user, page, next)
    }

    private func nextCursor(
        _ page: Page<Video>, _ request: Request, _ sent: String?, _ after: Position?,
        _ fault: FaultKind?
    ) -> String? {
        if settings.paging == .since {
            return nextSince(
                page, sent ?? request.query("since"), fault?.cursorFault, request.number)
        }
        let last = page.items.last.map { Position.video($0.publishedAt, $0.index) }
        if let cursorFault = fault?.cursorFault {
            return cursorFault.cursor(next: last, sent: sent, at: after, number: request.number)
        }
        return page.hasMore ? Cursor.encode(last) : nil
    }

    /// The time to be sent as the next `since`.
    ///
    /// It is the first video's that did not fit, so none is lost and at most one comes twice. It
    /// leads nowhere when a page can't hold all videos of one time.
    private func nextSince(
        _ page: Page<Video>, _ sent: String?, _ cursorFault: CursorFault?, _ number: Int
    ) -> String? {
        let far: Milliseconds = 4_102_444_800_000
        switch cursorFault {
        case nil: return page.following.map { iso8601($0.publishedAt) }
        case .endless?: return iso8601(far + Int64(number))
        case .repeated?, .empty?: return sent ?? iso8601(0)
        case .loop?: return sent == iso8601(far) ? iso8601(far + 1) : iso8601(far)
        }
    }

    private func feedAnswer(_ user: User, _ page: Page<Video>, _ next: String?) -> Answer {
        var json = JSONText(reserving: 64 + page.items.count * 320)
        json.raw("{")
        json.array("videos", of: page.items) { $0.write(into: &$1) }
        if let next {
            json.field("nextCursor", next)
        } else if user.key % 2 == 0 {
            json.key("nextCursor")  // both ways to end are in use
            json.raw("null")
        }
        json.raw("}")
        var answer = Answer.json(200, json.bytes)
        answer.served = Answer.Served(
            records: page.items.count, first: page.items.first?.id, last: page.items.last?.id,
            next: next, versions: page.items.map { ($0.id, user.version($0.index)) })
        return answer
    }
}
