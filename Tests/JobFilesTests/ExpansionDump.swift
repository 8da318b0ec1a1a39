import Foundation
import JobFiles
import TestJobFiles
import Testing

/// Writes what every good file at hand expands to, and every mistake in the malformed ones, to the file that
/// `JOBRUNNER_DUMP` names: made before and after a change to the keys, the two are the same.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["JOBRUNNER_DUMP"] != nil))
struct ExpansionDump {
    @Test func `what every file expands to is written down`() throws {
        let files = try filesOfRepository() + examplesOfPages() + changedFiles()
        let text = files.map { name, text in
            "== \(name)\n\(told(JobFile.parse(text, file: "it")))\n"
        }
        let target = try #require(ProcessInfo.processInfo.environment["JOBRUNNER_DUMP"])
        try text.joined().write(toFile: target, atomically: true, encoding: .utf8)
    }

    private func filesOfRepository() throws -> [(String, [UInt8])] {
        let all = try #require(
            FileManager.default.enumerator(at: repository, includingPropertiesForKeys: nil))
        return try all.compactMap { $0 as? URL }
            .filter { ["yaml", "yml"].contains($0.pathExtension) && !$0.path.contains("/.build/") }
            .sorted { $0.path < $1.path }
            .map {
                (String($0.path.dropFirst(repository.path.count)), Array(try Data(contentsOf: $0)))
            }
    }

    private func examplesOfPages() throws -> [(String, [UInt8])] {
        try ["docs/JOB_FILES.md", "README.md", "docs/MOVE_YOUR_APP.md"].flatMap {
            try GoodFile.examples(of: $0)
        }
    }

    private func changedFiles() throws -> [(String, [UInt8])] {
        try JobFileCase.all().map { ($0.description, $0.text) }
    }

    private func told(_ result: Result<JobFile, Mistakes>) -> String {
        switch result {
        case .success(let file):
            file.entities.reduce(file.expanded) {
                "\($0)\n\($1.name) \($1.question.hash) \($1.question.list)"
            }
        case .failure(let mistakes):
            mistakes.all.map { "\($0) near \($0.nearest ?? "-")" }.joined(separator: "\n")
        }
    }
}
