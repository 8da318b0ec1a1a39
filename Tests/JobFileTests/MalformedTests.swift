import Foundation
import JobFile
import Testing

/// Every file in `Malformed` names its own mistakes in its first lines: `# expect: line:column words`.
@Suite struct Malformed {
    static let directory = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Malformed")
    static let names =
        (try? FileManager.default.contentsOfDirectory(atPath: directory.path()))?
        .filter { $0.hasSuffix(".yaml") }.sorted() ?? []

    @Test func `there are enough malformed files to call it a table`() {
        #expect(Self.names.count >= 100)
    }

    @Test(arguments: names)
    func `each mistake is one clear line at its place`(name: String) throws {
        let bytes = Array(try Data(contentsOf: Self.directory.appending(path: name)))
        let expected = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            .prefix { $0.hasPrefix("# expect: ") }.map { $0.dropFirst("# expect: ".count) }
        guard case .failure(let mistakes) = JobFile.parse(bytes, file: name) else {
            Issue.record("no mistake found")
            return
        }
        let lines = mistakes.all.map(\.description)
        #expect(lines.count == expected.count, "\(lines)")
        for (mistake, words) in zip(mistakes.all, expected) {
            let parts = words.split(separator: " ", maxSplits: 1)
            try #require(parts.count == 2, "expected a place and words: \(words)")
            #expect("\(mistake.line):\(mistake.column)" == parts[0], "\(mistake)")
            #expect(mistake.message.contains(parts[1]), "\(mistake)")
            #expect(mistake.description.hasPrefix("\(name):\(mistake.line):\(mistake.column): "))
            #expect(!mistake.description.contains("\n"))
        }
    }
}
