public import Foundation

/// A secret that a hostile source gets to know and repeats, and how it is recognised wherever it comes to light.
public struct Canary: Sendable {
    /// What it is called; part of a text that is made up.
    public let name: String
    /// The secret itself.
    public let text: String
    /// Letters and digits of it, so that most encodings leave them as they are.
    private let core: String

    /// One that is made up.
    public init(name: String) {
        self.name = name
        core = "Zq7\(name)Kx9Vw3Canary"
        text = "\(core)/+=\(name)"
    }

    /// A given secret, such as a private key, that is known by its longest piece of letters and digits.
    public init(name: String, text: String) {
        self.name = name
        self.text = text
        let pieces = text.split { !$0.isLetter && !$0.isNumber }
        core = String(pieces.max { $0.count < $1.count } ?? "")
    }

    /// The forms in which the source repeats it; all of them are forms that the redactor knows.
    public var echoes: [String] {
        [
            text, text.uppercased(), text.lowercased(),
            text.replacing("/", with: "%2F").replacing("+", with: "%2B").replacing(
                "=", with: "%3D"),
            text.replacing("/", with: "%252f").replacing("+", with: "%252b")
                .replacing("=", with: "%253d"),
            text.utf8.map { "&#\($0);" }.joined(), text.replacing("/", with: "\\/"),
            text.utf8.map { String(format: "\\u00%02x", $0) }.joined(),
            text.utf8.map { String(format: "%02x", $0) }.joined(),
            Data("user:\(text)".utf8).base64EncodedString(),
        ]
    }

    /// One of the forms, as a header field may have it.
    public func echo(_ number: Int, inHeader: Bool) -> String {
        let form = echoes[number % echoes.count]
        return inHeader && form.contains("\n") ? echoes[8] : form
    }

    /// Pieces of those forms that stand in no text by chance.
    public var pieces: [String] {
        [core, core.uppercased(), core.lowercased()]
            + [core.utf8.map { "&#\($0);" }.joined()]
            + [
                core.utf8.map { String(format: "\\u00%02x", $0) }.joined(),
                core.utf8.map { String(format: "%02x", $0) }.joined(),
            ].map { String($0.prefix(30)) }
            + (0..<3).map { offset in
                let whole = Data((String(repeating: "u", count: offset) + core).utf8)
                    .base64EncodedString()
                return String(whole.dropFirst(4).prefix(16))
            }
    }
}

/// The lines `file:piece` of every canary in files.
public func canaries(_ canaries: [Canary], in files: [URL]) throws -> [String] {
    let patterns = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data(canaries.flatMap(\.pieces).joined(separator: "\n").utf8).write(to: patterns)
    defer { try? FileManager.default.removeItem(at: patterns) }
    let found = try output(
        of: ["grep", "-a", "-o", "-H", "-F", "-f", patterns.path] + files.map(\.path))
    return Set(String(decoding: found, as: UTF8.self).split(separator: "\n").map(String.init))
        .sorted()
}

/// What a program prints.
public func output(of command: [String]) throws -> Data {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = command
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let text = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return text
}
