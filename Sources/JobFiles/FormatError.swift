/// Why a text is no path, template or duration, in words for people.
public struct FormatError: Error, Sendable, Equatable {
    /// What is wrong and what would be right.
    public var message: String
    /// The valid word that was probably meant.
    public var nearest: String?

    init(_ message: String, nearest: String? = nil) {
        self.message = message
        self.nearest = nearest
    }
}
