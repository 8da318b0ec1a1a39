import JSON
@testable import JobFiles

extension FuzzTarget {
    /// YAML as plain data: it is JSON that can be written, or told what is wrong in lines.
    static let yaml = FuzzTarget(name: "yaml") { bytes in
        switch PlainYAML.value(of: bytes, file: "fuzz.yaml", bytesMax: 1 << 16) {
        case .success(let value): _ = try JSONDocument(parsing: value.bytes)
        case .failure(let mistakes): try checkLines(mistakes)
        }
    }

    /// A job file: every mistake is a line; what is right is the same once it is written back.
    static let jobFile = FuzzTarget(name: "job-file") { bytes in
        switch JobFile.parse(bytes, file: "fuzz.yaml") {
        case .success(let file):
            let again = JobFile.parse(file.expanded, file: "fuzz.yaml")
            try expect(again == .success(file), "written back it says something else: \(again)")
        case .failure(let mistakes): try checkLines(mistakes)
        }
    }

    static func checkLines(_ mistakes: Mistakes) throws {
        try expect(!mistakes.all.isEmpty, "it failed without a mistake")
        for mistake in mistakes.all {
            try expectLine(mistake.description)
            try expect(mistake.line >= 1 && mistake.column >= 1, "\(mistake) is nowhere")
        }
    }
}
