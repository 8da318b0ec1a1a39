import Foundation
import JSON

/// A secret that a hostile source gets to know and repeats, and how it is recognised wherever it comes to light.
struct Canary: Sendable {
    let name: String
    /// Its core is letters and digits, so that most encodings leave that as it is.
    private var core: String { "Zq7\(name)Kx9Vw3Canary" }
    var text: String { "\(core)/+=\(name)" }

    /// The forms in which the source repeats it; all of them are forms that the redactor knows.
    var echoes: [String] {
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

    /// Pieces of those forms that stand in no text by chance.
    var pieces: [String] {
        [core, core.uppercased(), core.lowercased()]
            + [core.utf8.map { "&#\($0);" }.joined()] + echoes[7...8].map { String($0.prefix(30)) }
            + (0..<3).map { offset in
                let whole = Data((String(repeating: "u", count: offset) + core).utf8)
                    .base64EncodedString()
                return String(whole.dropFirst(4).prefix(16))
            }
    }
}

/// The lines `file:piece` of every canary in files.
func canaries(_ canaries: [Canary], in files: [URL]) throws -> [String] {
    let patterns = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data(canaries.flatMap(\.pieces).joined(separator: "\n").utf8).write(to: patterns)
    defer { try? FileManager.default.removeItem(at: patterns) }
    let found = try output(
        of: ["grep", "-a", "-o", "-H", "-F", "-f", patterns.path] + files.map(\.path))
    return Set(String(decoding: found, as: UTF8.self).split(separator: "\n").map(String.init))
        .sorted()
}

/// What a program prints.
func output(of command: [String]) throws -> Data {
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
