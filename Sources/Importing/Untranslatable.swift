/// Why something of a manifest can't be said in a job file.
struct Untranslatable: Error, Equatable {
    /// What stands there.
    var what: String
    var why: String
    /// What comes nearest, by hand.
    var nearest: String

    init(_ what: String, _ why: String, nearest: String = "write this entity by hand") {
        self.what = what
        self.why = why
        self.nearest = nearest
    }
}

/// Something of a stream that was not translated, for a person to decide.
public struct Left: Sendable, Equatable, CustomStringConvertible {
    /// The stream, or another part of the manifest.
    public var stream: String
    /// Where in it, such as `paginator`.
    public var place: String
    /// What stands there.
    public var what: String
    /// Why it can't be said.
    public var why: String
    /// What comes nearest.
    public var nearest: String

    /// The one line that a person reads.
    public var description: String {
        "\(stream): \(place): \(short(what)): \(why): \(nearest)"
    }
}

/// What is short enough for a line.
func short(_ text: String) -> String {
    let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return line.count > 120 ? line.prefix(119) + "…" : line
}
