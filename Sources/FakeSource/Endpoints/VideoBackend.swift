/// The back end MeTube has now: one list of videos, read by sequence number.
struct VideoBackend {
    let users: Users

    /// More are refused, as there.
    static let channelsMax = 300

    /// Nil when the path is not `/worker/{user}/api/videos/query`.
    func answer(_ request: Request) throws(BadRequest) -> Answer? {
        guard request.segments.first == "worker", request.segments.count == 5,
            request.segments[2...] == ["api", "videos", "query"]
        else { return nil }
        guard request.method == "POST" else { return .error(405, "Method not allowed") }
        let command = try Command(request.body, knows: ["channelIds", "afterSeq", "limit"])
        let after = try command.int("afterSeq", in: 0...Int(Int32.max)) ?? 0
        let limit = try command.int("limit", in: 1...Request.limitMax) ?? Request.limitDefault
        if let channels = try command.strings("channelIds"),
            channels.count > VideoBackend.channelsMax
        {
            throw BadRequest("at most \(VideoBackend.channelsMax) channelIds")
        }
        guard let user = users.find(request.segments[1]) else {
            return .error(404, "User not found")
        }
        return answer(user, live(user, after: after, limit: limit), after: after)
    }

    /// A page is short only at the end, so deleted records must not count.
    private func live(_ user: User, after: Int, limit: Int) -> [Record] {
        var found: [Record] = []
        var after = after
        while found.count < limit {
            let page = user.records(since: nil, afterSeq: after, limit: limit - found.count)
            found += page.items.filter { !$0.isDeleted }
            guard page.hasMore, let last = page.items.last else { break }
            after = last.seq
        }
        return found
    }

    private func answer(_ user: User, _ records: [Record], after: Int) -> Answer {
        let added = Dictionary(uniqueKeysWithValues: user.added.map { ($0.index, $0) })
        let greatest = records.last?.seq ?? after
        let body = JSONText.object { json in
            json.array("videos", of: records) { record, json in
                let video = added[record.index] ?? user.baseVideo(record.index)
                json.raw("{")
                json.field("videoId", video.id)
                json.field("channelId", video.channelID)
                json.field("publishedAt", iso8601(video.publishedAt))
                if let title = video.title { json.field("title", title) }
                if let seconds = video.duration.value { json.field("durationSeconds", seconds) }
                json.field("seq", record.seq)
                json.raw("}")
            }
            json.field("maxSeqReturned", greatest)
        }
        var answer = Answer.json(200, body)
        answer.served = Answer.Served(
            records: records.count, first: records.first?.id, last: records.last?.id,
            next: String(greatest), versions: records.map { ($0.id, $0.version) })
        return answer
    }
}
