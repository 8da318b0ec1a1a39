import Foundation
import JobFiles
import Testing

/// The committed schema and manual are what the declared keys make of them.
///
/// Refresh both with `JOBRUNNER_REFRESH_SNAPSHOT=1 swift test --filter GrammarTests`.
@Suite struct GrammarTests {
    @Test func `the JSON Schema is made of the declared keys`() throws {
        let file = repository.appending(path: "jobs/job.schema.json")
        try expect(Grammar.schema, in: file)
    }

    @Test func `the lists of keys in the manual are made of the declared keys`() throws {
        let file = repository.appending(path: "docs/JOB_FILES.md")
        try expect(Grammar.manual(String(contentsOf: file, encoding: .utf8)), in: file)
    }

    @Test func `the manual has a list of each kind of mapping that is no variant's`() throws {
        let manual = try String(
            contentsOf: repository.appending(path: "docs/JOB_FILES.md"), encoding: .utf8)
        for title in Grammar.titles {
            #expect(manual.contains("<!-- keys: \(title) -->\n"), "no list of \(title)")
        }
    }

    @Test func `what a file leaves out of retry is what one without retry has`() throws {
        let without = try parsed(smallFile).source
        let changed = try smallFile([
            "base: \"https://hub.example\"": "base: \"https://hub.example\", retry: { attempts: 3 }"
        ])
        #expect(try parsed(changed).source.retry == without.retry)
    }

    private func expect(_ fresh: String, in file: URL) throws {
        if ProcessInfo.processInfo.environment["JOBRUNNER_REFRESH_SNAPSHOT"] != nil {
            try fresh.write(to: file, atomically: true, encoding: .utf8)
        }
        let kept = try String(contentsOf: file, encoding: .utf8)
        let difference = fresh.split(separator: "\n").difference(from: kept.split(separator: "\n"))
        #expect(fresh == kept, "refresh it: see GrammarTests.swift\n\(difference)")
    }
}
