/// What a correct destination holds, computed from the same data the source serves.
enum Expected {
    /// One user's videos with the rules of the hub's clients applied.
    static func videos(of user: User) -> [UInt8] {
        var kept: [Video] = []
        var filtered = 0
        var incompatible = 0
        user.forEachLiveVideo { video in
            switch video.verdict {
            case .kept: kept.append(video)
            case .filtered: filtered += 1
            case .incompatible: incompatible += 1
            }
        }
        return JSONText.object { json in
            json.field("user", user.name)
            json.field("registered", user.isRegistered)
            json.field("live", user.liveCount)
            json.field("kept", kept.count)
            json.field("filtered", filtered)
            json.field("incompatible", incompatible)
            json.array("videos", of: kept, writeVideo)
            json.array("removed", of: user.removedIDs) { $1.string($0) }
        }
    }

    private static func writeVideo(_ video: Video, into json: inout JSONText) {
        json.raw("{")
        json.field("video_id", video.id)
        json.field("channel_id", video.channelID)
        json.field("published_at", iso8601(video.publishedAt))
        if let title = video.title { json.field("title", title) }
        if let description = video.description { json.field("description", description) }
        if let thumbnail = video.thumbnailURL { json.field("thumbnail_url", thumbnail) }
        if let seconds = video.duration.value { json.field("duration_s", seconds) }
        json.raw("}")
    }

    /// One user's records of the generic source, without the deleted ones.
    static func records(of user: User) -> [UInt8] {
        let records = liveRecords(user)
        return JSONText.object { json in
            json.field("user", user.name)
            json.field("live", records.count)
            json.array("items", of: records) { $0.write(into: &$1) }
            json.array("removed", of: user.removedIDs) { $1.string($0) }
        }
    }

    private static func liveRecords(_ user: User) -> [Record] {
        user.records(since: nil, afterSeq: 0, limit: .max).items.filter { !$0.isDeleted }
    }

    /// `user video_id channel_id published_at title duration_s`, one line a kept video.
    static func videoLines(of user: User) -> [UInt8] {
        var lines: [UInt8] = []
        user.forEachLiveVideo { video in
            guard case .kept = video.verdict else { return }
            let columns: [String?] = [
                user.name, video.id, video.channelID, iso8601(video.publishedAt), video.title,
                video.duration.value.map(String.init),
            ]
            lines += (columns.map(copyField).joined(separator: "\t") + "\n").utf8
        }
        return lines
    }

    /// `user id seq updated_at name value`, one line a live record.
    static func recordLines(of user: User) -> [UInt8] {
        var lines: [UInt8] = []
        for record in liveRecords(user) {
            let columns: [String?] = [
                user.name, record.id, String(record.seq), iso8601(record.updatedAt), record.name,
                record.valueText,
            ]
            lines += (columns.map(copyField).joined(separator: "\t") + "\n").utf8
        }
        return lines
    }

    /// All users one after another, made while they are sent.
    static func all(
        _ users: Users, onlyRegistered: Bool, _ lines: @escaping (User) -> [UInt8]
    ) -> Body {
        let names = users.touched.keys.sorted()
        let cohorts = users.cohorts
        var nextName = 0
        var cohort = 0
        var member = 0
        func next() -> User?? {
            if nextName < names.count {
                nextName += 1
                return .some(users.find(names[nextName - 1]))
            }
            while cohort < cohorts.count, member == cohorts[cohort].count {
                cohort += 1
                member = 0
            }
            guard cohort < cohorts.count else { return nil }
            member += 1
            return .some(users.untouched(member - 1, of: cohorts[cohort]))
        }
        return .pieces {
            var piece: [UInt8] = []
            while piece.count < pieceSize {
                guard let step = next() else { return piece.isEmpty ? nil : piece }
                if let user = step, user.isRegistered || !onlyRegistered { piece += lines(user) }
            }
            return piece
        }
    }

    /// Small enough that other requests are answered in between.
    private static let pieceSize = 32_768
}
