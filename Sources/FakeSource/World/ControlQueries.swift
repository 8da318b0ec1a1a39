/// What tests ask: the logs, the users, the faults, and what a correct destination holds.
struct ControlQueries {
    let world: World

    /// Nil when the path is no question.
    func answer(_ path: String, _ request: Request) throws(BadRequest) -> Answer? {
        switch path {
        case "log": return try log(request)
        case "log.tsv": return table(logLines())
        case "versions": return try versions(request)
        case "versions.tsv": return table(versionLines())
        case "faults": return faults()
        case "summary": return summary()
        case "users": return try oneUser(request, describe)
        case "expected":
            return try oneUser(
                request, isGeneric(request) ? Expected.records : Expected.videos)
        case "expected/all":
            let onlyRegistered = request.query("registered") == "true"
            let lines = isGeneric(request) ? Expected.recordLines : Expected.videoLines
            return table(
                Expected.all(world.users, onlyRegistered: onlyRegistered, lines))
        default: return nil
        }
    }

    private func isGeneric(_ request: Request) -> Bool { request.query("of") == "generic" }

    private func table(_ body: Body) -> Answer {
        Answer(headers: [("Content-Type", "text/tab-separated-values; charset=utf-8")], body: body)
    }

    private func oneUser(
        _ request: Request, _ body: (User) -> [UInt8]
    ) throws(BadRequest) -> Answer {
        guard let name = request.query("user") else { throw BadRequest("?user= is missing") }
        guard let user = world.users.find(name) else { return .error(404, "User not found") }
        return .json(200, body(user))
    }

    private func describe(_ user: User) -> [UInt8] {
        JSONText.object { json in
            json.field("user", user.name)
            json.field("registered", user.isRegistered)
            json.field("videos", user.liveCount)
            json.field("channel_count", user.channelCount)
            json.field("channels_hash", String(user.channelsHash, radix: 16))
            if let channels = user.channels {
                json.array("channels", of: channels) { $1.string($0) }
            }
            let own = (0..<Catalogue.channelCount(user.key)).map {
                Catalogue.channelID(user.key, $0)
            }
            json.array("own_channels", of: own) { $1.string($0) }
        }
    }

    /// More entries than this come in further requests.
    private static let entriesMax = 10_000

    private func log(_ request: Request) throws(BadRequest) -> Answer {
        let after = try request.number("after") ?? 0
        let user = request.query("user")
        let entries = world.log.after(after).lazy.filter { user == nil || $0.user == user }
            .prefix(ControlQueries.entriesMax)
        return .json(
            200,
            JSONText.object { json in
                json.array("entries", of: entries) { $0.write(into: &$1) }
                json.field("last", entries.last?.number ?? after)
            })
    }

    private func logLines() -> Body {
        var after = 0
        let log = world.log
        return .pieces {
            let entries = log.after(after).prefix(200)
            guard let last = entries.last else { return nil }
            after = last.number
            return entries.flatMap { Array($0.copyLine.utf8) }
        }
    }

    private func versions(_ request: Request) throws(BadRequest) -> Answer {
        let after = try request.number("after") ?? 0
        let log = world.versions
        let first = partition(log.entries.count) { log.entries[$0].request > after }
        var end = min(log.entries.count, first + ControlQueries.entriesMax)
        while end < log.entries.count, log.entries[end].request == log.entries[end - 1].request {
            end += 1
        }
        let entries = log.entries[first..<end]
        return .json(
            200,
            JSONText.object { json in
                json.array("entries", of: entries) { entry, json in
                    json.raw("{")
                    json.field("n", entry.request)
                    json.field("user", log.users[Int(entry.user)])
                    json.field("id", entry.id)
                    json.field("version", Int(entry.version))
                    json.raw("}")
                }
                json.field("last", entries.last?.request ?? after)
            })
    }

    private func versionLines() -> Body {
        var at = 0
        let log = world.versions
        return .pieces {
            guard at < log.entries.count else { return nil }
            let entries = log.entries[at..<min(at + 500, log.entries.count)]
            at = entries.endIndex
            return entries.flatMap { entry in
                let user = copyField(log.users[Int(entry.user)])
                return Array("\(entry.request)\t\(user)\t\(entry.id)\t\(entry.version)\n".utf8)
            }
        }
    }

    private func faults() -> Answer {
        .json(
            200,
            JSONText.object { json in
                json.array("faults", of: world.faults.rules) { fault, json in
                    json.raw("{")
                    json.field("id", fault.id)
                    json.field("kind", fault.name)
                    json.field("path", "/" + fault.pattern.joined(separator: "/"))
                    if let user = fault.user { json.field("user", user) }
                    json.field("seen", fault.seen)
                    json.field("fired", fault.fired)
                    json.raw("}")
                }
            })
    }

    private func summary() -> Answer {
        let counters = world.counters
        let counts = world.users.counts
        return .json(
            200,
            JSONText.object { json in
                json.field("requests", counters.requests)
                json.field("completed", counters.completed)
                json.field("cut", counters.cut)
                json.field("open", counters.requests - counters.completed - counters.cut)
                json.field("records", counters.records)
                json.field("faults", counters.faults)
                json.field("versions", world.versions.entries.count)
                json.field("users", world.users.count)
                json.field("registered_users", counts.users)
                json.field("registered_channels", counts.channels)
                json.field("registered_videos", counts.videos)
                json.key("by_status")
                json.raw("{")
                for (status, count) in counters.byStatus.sorted(by: { $0.key < $1.key }) {
                    json.field(String(status), count)
                }
                json.raw("}")
            })
    }
}
