import Foundation
import JobFile
import Testing

@Suite struct Documentation {
    @Test func `the whole files in the manual are right`() throws {
        let manual = try String(
            contentsOf: repository.appending(path: "docs/JOB_FILES.md"), encoding: .utf8)
        let examples = manual.components(separatedBy: "```yaml\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
        #expect(!examples.isEmpty)
        for example in examples {
            let job = try JobFile.parse(example, file: "JOB_FILES.md").get()
            #expect(try parsed(job.expanded) == job)
        }
    }
}
