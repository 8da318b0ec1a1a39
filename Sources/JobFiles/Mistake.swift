/// One thing wrong with a job file, for a person to mend.
public struct Mistake: Error, Sendable, Equatable, Hashable, CustomStringConvertible {
    /// The file as it was named to us.
    public var file: String
    /// Counted from 1.
    public var line: Int
    /// Counted from 1, in characters.
    public var column: Int
    /// Where in the file's content, such as `entities[0].page.style`; empty: the file itself.
    public var path: String
    /// What is wrong and what would be right; one line.
    public var message: String
    /// The valid word that was probably meant; the message names it as well.
    public var nearest: String?

    /// The one line that a person reads: `file:line:column: path: message`.
    public var description: String {
        let location = "\(file):\(line):\(column): "
        return location + (path.isEmpty ? "" : "\(path): ") + message
    }
}

/// Everything wrong with one or several job files, by file and position; never empty.
public struct Mistakes: Error, Sendable, Equatable, CustomStringConvertible {
    /// The mistakes in the order of reading.
    public var all: [Mistake]

    /// A line for each.
    public var description: String { all.map(\.description).joined(separator: "\n") }
}
