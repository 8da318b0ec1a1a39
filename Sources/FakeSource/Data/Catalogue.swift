/// Data as a pure function of the seed, the user's name and an item's index: nothing is stored.
enum Catalogue {
    /// The untouched items of every user lie between these times.
    static let begin: Milliseconds = 1_672_531_200_000  // 2023-01-01
    static let end: Milliseconds = 1_735_689_600_000  // 2025-01-01

    static func key(seed: UInt64, user: String) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in user.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return splitMix64(hash ^ splitMix64(seed))
    }

    static func randomBits(_ key: UInt64, _ index: Int, _ salt: UInt64) -> UInt64 {
        splitMix64(
            key &+ UInt64(truncatingIfNeeded: index) &* 0x2545_f491_4f6c_dd1d ^ splitMix64(salt))
    }

    /// Never falls with the index; every seventeenth item has its predecessor's time.
    static func publishedAt(_ key: UInt64, _ index: Int, of count: Int) -> Milliseconds {
        let slot = index % 17 == 16 ? index - 1 : index
        let step = max(1, (end - begin) / Int64(max(1, count)))
        let jitter = Int64(randomBits(key, slot, 1) % UInt64(step))
        return begin + Int64(slot) * step + jitter
    }

    /// Eleven characters, ordered by index within a user.
    static func videoID(_ key: UInt64, _ index: Int) -> String {
        var prefix = randomBits(key, 0, 2)
        var characters: [UInt8] = []
        for _ in 0..<6 {
            characters.append(alphabet[Int(prefix % 62)])
            prefix /= 62
        }
        let digits = String(index, radix: 36)
        characters.append(contentsOf: repeatElement(48, count: max(0, 5 - digits.utf8.count)))
        characters.append(contentsOf: digits.utf8)
        return String(decoding: characters, as: UTF8.self)
    }

    static func channelCount(_ key: UInt64) -> Int { 1 + Int(randomBits(key, 0, 3) % 40) }

    static func channelID(_ key: UInt64, _ number: Int) -> String {
        var bits = randomBits(key, number, 4)
        var characters = Array("UC".utf8)
        for place in 0..<22 {
            if place == 11 { bits = randomBits(key, number, 5) }
            characters.append(alphabet[Int(bits % 62)])
            bits /= 62
        }
        return String(decoding: characters, as: UTF8.self)
    }

    private static let alphabet = Array(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    /// What goes into the fields of one video.
    ///
    /// `clean` items pass every rule.
    static func video(_ key: UInt64, _ index: Int, at published: Milliseconds, clean: Bool) -> Video
    {
        let bits = randomBits(key, index, 6)
        let channels = UInt64(channelCount(key))
        let number = Int(randomBits(key, index, 7) % channels)
        var video = Video(
            index: index, id: videoID(key, index), channelID: channelID(key, number),
            publishedAt: published)
        video.title = !clean && bits % 100 < 3 ? nil : title(bits, index)
        video.description = (bits >> 8) % 5 == 0 ? nil : "About item \(index).\nSecond line."
        let hasThumbnail = (bits >> 12) % 10 != 0
        video.thumbnailURL = hasThumbnail ? "https://i.example/\(video.id)/hq.jpg" : nil
        video.duration = duration(randomBits(key, index, 8), clean: clean)
        return video
    }

    private static func title(_ bits: UInt64, _ index: Int) -> String {
        let first = words[Int((bits >> 16) % UInt64(words.count))]
        let second = words[Int((bits >> 24) % UInt64(words.count))]
        return "\(first) \(second) #\(index)"
    }

    private static let words = [
        "Walking", "Évora", "\"Quoted\"", "C:\\temp", "naïve", "Tab\there", "Tokyo 東京", "🎬 Cut",
        "Deep", "Slow", "River", "O'Brien", "<b>bold</b>", "100 %", "मुंबई", "plain",
    ]

    private static func duration(_ bits: UInt64, clean: Bool) -> Duration {
        // One in forty lies right at the clients' limit.
        let isAtLimit = (bits >> 40) % 40 == 0
        let long = isAtLimit ? Video.secondsMin : Video.secondsMin + Int((bits >> 16) % 7000)
        let short = isAtLimit ? Video.secondsMin - 1 : Int((bits >> 16) % 60)
        if clean { return .seconds(long) }
        switch bits % 100 {
        case 0..<3: return .missing
        case 3..<6: return .malformed(malformed[Int((bits >> 16) % UInt64(malformed.count))])
        case 6..<10: return .seconds(short)
        case 10..<14: return .clock(short)
        case 14..<45: return .clock(long)
        default: return .seconds(long)
        }
    }

    /// No sane reader takes one of these for a duration.
    private static let malformed = ["soon", "", "12:xx", "1:2:3:4", ":", "--:--"]
}
