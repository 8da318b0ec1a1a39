/// The records of one user of a static source: a formula over their numbers, and what was changed.
///
/// Users who saw the same changes hold the same records, so a page is rendered once for all of them.
struct StaticFeed {
    /// How many records a user has; they never grow or shrink.
    let count: Int
    let recordBytes: Int
    private(set) var changes: [Change] = []

    /// From when on a share of the records is different.
    struct Change {
        let at: Milliseconds
        /// Of a million records, how many.
        let share: UInt64
        /// Which records it strikes follows from this number.
        let salt: UInt64
    }

    /// The part of a feed that `since` leaves.
    enum Part: Hashable {
        case whole
        case nothing
        case since(Milliseconds)
    }

    /// Untouched records are a second apart from here on: 2023-11-14T22:13:20Z.
    static let beginning: Milliseconds = 1_700_000_000_000

    init(count: Int, recordBytes: Int) {
        self.count = count
        self.recordBytes = recordBytes
    }

    func changed(_ change: Change) -> StaticFeed {
        var feed = self
        feed.changes.append(change)
        return feed
    }

    /// The same value for all times that leave the same records, as far as that is cheap to say.
    func part(since: Milliseconds?) -> Part {
        guard let since, since > StaticFeed.beginning else { return .whole }
        guard since > StaticFeed.beginning + Milliseconds(count - 1) * 1000 else {
            return .since(since)
        }
        guard let first = changes.first(where: { $0.at >= since }) else { return .nothing }
        return .since(first.at)
    }

    /// The numbers of the records that are as new as the part wants, in order; nil for all.
    func numbers(_ part: Part) -> [Int]? {
        switch part {
        case .whole: nil
        case .nothing: []
        case .since(let since): (0..<count).filter { updatedAt($0, version: version($0)) >= since }
        }
    }

    /// 0 for an untouched record, else the place of the last change that struck it, from 1.
    private func version(_ number: Int) -> Int {
        let last = changes.lastIndex { splitMix64(UInt64(number) ^ $0.salt) % 1_000_000 < $0.share }
        return last.map { $0 + 1 } ?? 0
    }

    private func updatedAt(_ number: Int, version: Int) -> Milliseconds {
        version == 0
            ? StaticFeed.beginning + Milliseconds(number) * 1000 : changes[version - 1].at
    }

    /// A page of the records whose numbers are given, of all when nil.
    func page(of numbers: [Int]?, offset: Int, limit: Int) -> [UInt8] {
        let total = numbers?.count ?? count
        let places = min(offset, total)..<min(offset + limit, total)
        var json = JSONText(reserving: 100 + places.count * (recordBytes + 1))
        json.raw("{")
        json.array("items", of: places) { place, json in
            write(numbers?[place] ?? place, into: &json)
        }
        if places.upperBound < total { json.field("next", String(places.upperBound)) }
        json.field("total", total)
        json.raw("}")
        return json.bytes
    }

    private func write(_ number: Int, into json: inout JSONText) {
        let version = version(number)
        let bits = splitMix64(UInt64(number) &+ UInt64(version) << 40)
        let begin = json.bytes.count
        json.raw("{")
        json.field("id", "rec-" + padded(Int64(number), 9))
        json.field("seq", number + 1)
        json.field("updated_at", iso8601(updatedAt(number, version: version)))
        json.field("channel", "UC" + String(bits & 0xffff_ffff, radix: 16))
        json.field("title", "\(StaticFeed.words[Int(bits % 16)]) no. \(number), issue \(version)")
        json.key("score")
        json.raw("\(bits >> 8 % 1000).\(1 + bits >> 20 % 9)")
        json.field("active", bits & 1 == 0)
        json.key("text")
        json.bytes.append(UInt8(ascii: "\""))
        var seed = bits
        // Two bytes are the closing quote and brace.
        while json.bytes.count - begin < recordBytes - 2 {
            let word = StaticFeed.words[Int(seed & 15)].utf8
            let room = recordBytes - 2 - (json.bytes.count - begin)
            json.bytes.append(contentsOf: word.prefix(room - 1))
            json.bytes.append(UInt8(ascii: "."))
            seed = seed >> 4 == 0 ? splitMix64(bits &+ UInt64(json.bytes.count - begin)) : seed >> 4
        }
        json.raw("\"}")
    }

    private static let words = [
        "harbour", "lantern", "meadow", "northern", "orchard", "pebble", "quarry", "ripple",
        "saddle", "timber", "umbrella", "valley", "willow", "yonder", "zephyr", "anchor",
    ]
}
