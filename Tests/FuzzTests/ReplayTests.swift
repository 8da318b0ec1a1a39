import Foundation
import Testing

/// What the fuzzers have found, and what they began with, is read again.
@Suite struct ReplayTests {
    private static let corpora = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Corpora")

    @Test(arguments: FuzzTarget.all.map(\.name))
    func `every input that is kept is read and breaks nothing`(name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let inputs = try FileManager.default.contentsOfDirectory(
            at: Self.corpora.appending(path: name), includingPropertiesForKeys: nil)
        #expect(!inputs.isEmpty)
        for input in inputs {
            let bytes = Array(try Data(contentsOf: input))
            #expect(throws: Never.self, "\(input.lastPathComponent)") { try target.run(bytes) }
        }
    }

    @Test func `every folder of inputs is of a target`() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpora.path)
        #expect(Set(folders) == Set(FuzzTarget.all.map(\.name)))
    }
}
