import Foundation
import JobFiles
import TestJobFiles
import Testing

/// Right files with one thing changed, of the tables in `Tests/TestJobFiles/Cases`.
@Suite struct Malformed {
    @Test func `there are enough malformed files to call it a table`() throws {
        let cases = try JobFileCase.all()
        #expect(cases.count { $0.hasPlaces } >= 200)
        #expect(cases.count { !$0.hasPlaces } >= 170)
        #expect(Set(cases.map(\.description)).count == cases.count)
    }

    @Test(arguments: try JobFileCase.all())
    func `each mistake is one clear line at its place`(file: JobFileCase) throws {
        let mistakes: [Mistake] =
            switch JobFile.parse(file.text, file: "it.yaml") {
            case .success: []
            case .failure(let mistakes): mistakes.all
            }
        #expect(mistakes.isEmpty == (file.verdict == .good), "\(mistakes)")
        #expect(mistakes.count == file.mistakes.count, "\(mistakes)")
        // A file made by a path has lines of its own making, so that its mistakes have another order.
        let found = file.hasPlaces ? mistakes : mistakes.sorted { $0.message < $1.message }
        for (mistake, expected) in zip(
            found, file.hasPlaces ? file.mistakes : file.mistakes.sorted())
        {
            #expect(!mistake.description.contains("\n"))
            guard file.hasPlaces else {
                #expect(mistake.message.contains(expected), "\(mistake)")
                continue
            }
            let parts = expected.split(separator: " ", maxSplits: 1)
            try #require(parts.count == 2, "expected a place and words: \(expected)")
            #expect("\(mistake.line):\(mistake.column)" == parts[0], "\(mistake)")
            #expect(mistake.message.contains(parts[1]), "\(mistake)")
            #expect(mistake.description.hasPrefix("it.yaml:\(mistake.line):\(mistake.column): "))
        }
    }

    @Test(arguments: ["video", "calls", "numbers", "marks", "items", "helpdesk"])
    func `what the changes are made to is right`(base: String) throws {
        let file = JobFileCase.folder.appending(path: "\(base).yaml")
        #expect(throws: Never.self) {
            try JobFile.parse(Array(Data(contentsOf: file)), file: base).get()
        }
    }
}
