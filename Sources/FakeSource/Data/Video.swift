/// A duration as the hub sends it: seconds, a clock text, junk, or nothing.
enum Duration {
    case missing
    case seconds(Int)
    case clock(Int)
    case malformed(String)

    /// What a correct reader makes of it.
    var value: Int? {
        switch self {
        case .missing, .malformed: nil
        case .seconds(let seconds), .clock(let seconds): seconds
        }
    }
}

/// One item, seen as a hub's video.
struct Video {
    let index: Int
    let id: String
    let channelID: String
    var publishedAt: Milliseconds
    var title: String?
    var description: String?
    var thumbnailURL: String?
    var duration = Duration.missing

    /// What the rules of the hub's clients do with it.
    enum Verdict { case kept, incompatible, filtered }

    /// Shorter videos are dropped by the clients.
    static let secondsMin = 60

    var verdict: Verdict {
        switch duration {
        case .malformed: .incompatible
        case .missing: .kept
        case .seconds(let seconds), .clock(let seconds):
            seconds < Video.secondsMin ? .filtered : .kept
        }
    }

    func write(into json: inout JSONText) {
        json.raw("{")
        json.field("videoId", id)
        json.field("channelId", channelID)
        json.field("publishedAt", iso8601(publishedAt))
        if let title { json.field("title", title) }
        if let description { json.field("description", description) }
        if let thumbnailURL { json.field("thumbnailUrl", thumbnailURL) }
        switch duration {
        case .missing: break
        case .seconds(let seconds): json.field("duration", seconds)
        case .clock(let seconds): json.field("duration", clockText(seconds))
        case .malformed(let text): json.field("duration", text)
        }
        json.raw("}")
    }
}

/// `MM:SS`, or `HH:MM:SS` from an hour on.
func clockText(_ seconds: Int) -> String {
    let minutes = padded(Int64(seconds / 60 % 60), 2) + ":" + padded(Int64(seconds % 60), 2)
    return seconds < 3600 ? minutes : padded(Int64(seconds / 3600), 2) + ":" + minutes
}

/// One item, seen as a record of the generic source.
struct Record {
    let index: Int
    let id: String
    let seq: Int
    let updatedAt: Milliseconds
    let name: String
    /// In hundredths.
    let value: Int
    let version: Int
    let isDeleted: Bool

    var valueText: String { "\(value / 100).\(padded(Int64(value % 100), 2))" }

    func write(into json: inout JSONText) {
        json.raw("{")
        json.field("id", id)
        json.field("seq", seq)
        json.field("updated_at", iso8601(updatedAt))
        if isDeleted {
            json.field("deleted", true)
        } else {
            json.field("name", name)
            json.key("value")
            json.raw(valueText)
        }
        json.raw("}")
    }
}
