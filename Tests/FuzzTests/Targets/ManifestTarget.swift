import Importing
import JobFiles

extension FuzzTarget {
    /// A connector's manifest, with the expressions in it: its files are right, all else is told in lines.
    static let manifest = FuzzTarget(name: "manifest") { bytes in
        switch AirbyteImport.reading(bytes, file: "fuzz.yaml", .init(source: "fuzz")) {
        case .success(let made):
            for file in made.files {
                let parsed = JobFile.parse(file.text, file: file.name)
                try expect((try? parsed.get()) != nil, "\(parsed) was written")
            }
        case .failure(let mistakes): try checkLines(mistakes)
        }
    }
}
