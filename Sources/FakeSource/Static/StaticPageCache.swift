internal import CMicroHTTPD
import Glibc

/// Which feed each user has, and the answers that were rendered, ready to be sent again.
///
/// An answer is one of libmicrohttpd's, with its headers: sending it again costs a count of its users.
/// Only the server's thread may touch it.
struct StaticPageCache {
    private var feeds: [StaticFeed]
    /// Per user, the place of its feed in `feeds`.
    private var feedOfUser: [Int32]
    private var answers: [Key: OpaquePointer] = [:]
    private var lengths: [Key: Int] = [:]
    /// Keys in the order in which they were rendered.
    private var order: [Key] = []
    private var bytes = 0
    private var notModified: [Int32: OpaquePointer] = [:]
    private var numbers: [Part: [Int]] = [:]

    /// What is kept at most; a page that must be rendered again costs a microsecond a record.
    private static let bytesMax = 512 << 20

    struct Key: Hashable {
        let feed: Int32
        let part: StaticFeed.Part
        let offset: Int
        let limit: Int
    }

    private struct Part: Hashable {
        let feed: Int32
        let part: StaticFeed.Part
    }

    init(_ options: StaticOptions) {
        feeds = [
            StaticFeed(count: options.records / options.users, recordBytes: options.recordBytes)
        ]
        feedOfUser = Array(repeating: 0, count: options.users)
    }

    var users: Int { feedOfUser.count }

    func feed(of user: Int) -> Int32 { feedOfUser[user] }

    func tag(_ feed: Int32) -> String { "\"static-\(feed)\"" }

    func part(_ feed: Int32, since: Milliseconds?) -> StaticFeed.Part {
        feeds[Int(feed)].part(since: since)
    }

    /// The share of the records of the first `users` users is different from now on.
    mutating func change(share: UInt64, users: Int, at now: Milliseconds) {
        var next: [Int32: Int32] = [:]
        for user in 0..<users {
            let old = feedOfUser[user]
            if next[old] == nil {
                let salt = UInt64(feeds.count) << 32
                next[old] = Int32(feeds.count)
                feeds.append(
                    feeds[Int(old)].changed(StaticFeed.Change(at: now, share: share, salt: salt)))
            }
            feedOfUser[user] = next[old] ?? old
        }
    }

    /// The answer and the bytes of its body; nil when libmicrohttpd has no memory.
    mutating func page(_ key: Key) -> (OpaquePointer, Int)? {
        if let known = answers[key], let length = lengths[key] { return (known, length) }
        let feed = feeds[Int(key.feed)]
        let part = Part(feed: key.feed, part: key.part)
        if key.part != .whole, numbers[part] == nil {
            // A few parts are asked for at a time: those since the latest changes.
            if numbers.count >= 64 { numbers = [:] }
            numbers[part] = feed.numbers(key.part)
        }
        let body = feed.page(of: numbers[part], offset: key.offset, limit: key.limit)
        guard let answer = response(body, feed: key.feed) else { return nil }
        MHD_add_response_header(answer, "Content-Type", "application/json")
        answers[key] = answer
        lengths[key] = body.count
        order.append(key)
        bytes += body.count
        if bytes > StaticPageCache.bytesMax { makeRoom() }
        return (answer, body.count)
    }

    mutating func notModified(_ feed: Int32) -> OpaquePointer? {
        if let known = notModified[feed] { return known }
        let answer = response([], feed: feed)
        notModified[feed] = answer
        return answer
    }

    /// Must be called once, after the server has stopped.
    mutating func clear() {
        for answer in answers.values { MHD_destroy_response(answer) }
        for answer in notModified.values { MHD_destroy_response(answer) }
        answers = [:]
        notModified = [:]
    }

    /// Drops the older half; what is being sent is freed when it was sent.
    private mutating func makeRoom() {
        let half = order.count / 2
        for key in order[..<half] {
            if let answer = answers.removeValue(forKey: key) { MHD_destroy_response(answer) }
            bytes -= lengths.removeValue(forKey: key) ?? 0
        }
        order.removeFirst(half)
    }

    private func response(_ body: [UInt8], feed: Int32) -> OpaquePointer? {
        let answer = body.withUnsafeBytes {
            MHD_create_response_from_buffer(
                $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
        }
        if let answer { MHD_add_response_header(answer, "ETag", tag(feed)) }
        return answer
    }
}
