import Foundation
import JobFiles
import TestJobFiles
import Testing

/// A job file at hand that is right.
struct GoodFile: Sendable {
    /// Names it where a test fails.
    let name: String
    let job: JobFile
}

extension GoodFile {
    /// Every good file of the repository: those that ship or serve a test, the pages' own, and the changed ones.
    ///
    /// A file that must be right and is wrong fails the test.
    static func all() throws -> [GoodFile] {
        let cases = try JobFileCase.all().filter { $0.verdict == .good }
            .map { ($0.description, $0.text) }
        let right =
            try files(below: "jobs") + files(below: "Tests/TestJobFiles/Cases")
            + examples(of: "docs/JOB_FILES.md") + cases
        let others =
            try files(below: "Tests/RealServers/jobs")
            + files(below: "Tests/Chaos/pairs/jobs") + files(below: "Sources/Bench/JobFiles")
            + examples(of: "README.md") + examples(of: "docs/MOVE_YOUR_APP.md")
        return try right.map { GoodFile(name: $0, job: try JobFile.parse($1, file: $0).get()) }
            // A part of a file is no file, and a page may show another program's.
            + others.compactMap { name, text in
                (try? JobFile.parse(text, file: name).get()).map { GoodFile(name: name, job: $0) }
            }
    }

    private static func files(below folder: String) throws -> [(String, [UInt8])] {
        let root = repository.appending(path: folder)
        let found = try #require(
            FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
        return try found.compactMap { $0 as? URL }
            .filter { $0.pathExtension == "yaml" }.sorted { $0.path < $1.path }
            .map {
                (String($0.path.dropFirst(repository.path.count)), Array(try Data(contentsOf: $0)))
            }
    }

    /// The examples in YAML on a page.
    static func examples(of page: String) throws -> [(String, [UInt8])] {
        try String(contentsOf: repository.appending(path: page), encoding: .utf8)
            .components(separatedBy: "```").enumerated()
            .filter { $1.hasPrefix("yaml\n") }
            .map { ("\(page) \($0)", Array($1.utf8.dropFirst("yaml\n".count))) }
    }
}
