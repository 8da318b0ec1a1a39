import HTTP

/// How long a source asks to be left alone, as sources write it in headers and bodies.
public enum SaidWait {
    /// A larger number of seconds (30 years) is a Unix time, as `X-RateLimit-Reset` often is.
    private static let unixSecondsMin = 1e9
    /// A still larger one counts milliseconds: as seconds it would lie behind the year 5000.
    private static let unixMillisecondsMin = 1e11

    /// Seconds from now on, of a span with or without a fraction, an HTTP date, an ISO 8601 time or a Unix time in
    /// seconds or milliseconds.
    ///
    /// What lies in the past is 0, what is none of these nil. The value may be absurdly large: the caller decides
    /// what it waits. `countsMilliseconds`: a span is of milliseconds. `now`: seconds since 1970; nil when it is not
    /// known, so that dates are nothing.
    public static func seconds(
        _ text: String, countsMilliseconds: Bool = false, now: Int?
    ) -> Double? {
        let text = text.trimmingBlanks()
        guard let number = plainNumber(text) else { return time(text, now).map { max(0, $0) } }
        let isMilliseconds =
            number >= unixMillisecondsMin || countsMilliseconds
        let seconds = isMilliseconds ? number / 1000 : number
        guard seconds >= unixSecondsMin else { return max(0, seconds) }
        return now.map { max(0, seconds - Double($0)) } ?? seconds
    }

    /// A number of digits; `nan` and hexadecimal ones are none.
    private static func plainNumber(_ text: String) -> Double? {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        guard let first = digits.utf8.first, (48...57).contains(first),
            digits.utf8.allSatisfy({ (48...57).contains($0) || ".eE+-".utf8.contains($0) })
        else { return nil }
        return Double(text).flatMap { $0.isFinite ? $0 : nil }
    }

    private static func time(_ text: String, _ now: Int?) -> Double? {
        guard let now else { return nil }
        if let date = HTTPDate.unixSeconds(text) { return Double(date - now) }
        return Timestamp.microseconds(text).map { Double($0) / 1_000_000 - Double(now) }
    }
}
