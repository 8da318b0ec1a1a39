import Foundation
import JobFiles
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

    @Test func `the manual names every key and every word of the format`() throws {
        let manual = try String(
            contentsOf: repository.appending(path: "docs/JOB_FILES.md"), encoding: .utf8)
        let schema = try JSONSerialization.jsonObject(
            with: Data(contentsOf: repository.appending(path: "jobs/job.schema.json")))
        let words = Set(vocabulary(schema))
        #expect(words.count > 150)
        // Backquotes make it a word of the format; a word may stand inside an example such as `a: b`.
        let spans = manual.components(separatedBy: "`").enumerated()
            .filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
        let named = Set(
            spans
                + spans.flatMap {
                    $0.components(separatedBy: CharacterSet(charactersIn: " :,{}[]|"))
                })
        let missing = words.subtracting(named).filter { word in
            !(word.contains(" ") && spans.contains { $0.hasSuffix(word) })
        }
        #expect(missing.sorted() == [])
    }

    /// The keys of a schema's mappings, and the texts of its closed lists.
    private func vocabulary(_ schema: Any) -> [String] {
        if let list = schema as? [Any] { return list.flatMap { vocabulary($0) } }
        guard let object = schema as? [String: Any] else { return [] }
        let keys = (object["properties"] as? [String: Any])?.keys.map { $0 } ?? []
        let words = (object["enum"] as? [Any] ?? []) + [object["const"] as Any]
        return keys + words.compactMap { $0 as? String }
            + object.filter { $0.key != "not" }.values.flatMap { vocabulary($0) }
    }
}
