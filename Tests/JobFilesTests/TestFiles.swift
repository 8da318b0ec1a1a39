import Foundation
import JobFiles
import Testing

/// The repository's folder, found from this file.
let repository = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

/// The bytes of the job file that ships.
func shippedFile() throws -> [UInt8] {
    Array(try Data(contentsOf: repository.appending(path: "jobs/metube/refresh.yaml")))
}

/// A short file that is right, for tests that change one thing in it.
let smallFile = """
    version: 1
    job: app.refresh
    schedule: { every: 1h, deadline: 5m }
    source: { id: hub, base: "https://hub.example" }
    entities:
      - entity: video
        request:
          path: /feed
        page:
          style: single
        records:
          at: videos[]
          key: [id]
          fields:
            id: { at: id, type: text, required: true }
            seq: { at: seq, type: int, required: true }
            changed_at: { at: changed, type: timestamp }
        write: { table: video, mode: overwrite }
    """

/// The small file with texts replaced; a text that is not in it fails the test.
func smallFile(_ changes: KeyValuePairs<String, String>) throws -> String {
    try changes.reduce(into: smallFile) { file, change in
        try #require(file.contains(change.key), "\(change.key)")
        file = file.replacingOccurrences(of: change.key, with: change.value)
    }
}

/// Parses text that must be right.
func parsed(_ text: String) throws -> JobFile {
    try JobFile.parse(text, file: "test.yaml").get()
}

/// The messages of a text that must be wrong.
func messages(_ text: String) throws -> [String] {
    guard case .failure(let mistakes) = JobFile.parse(text, file: "test.yaml") else { return [] }
    return mistakes.all.map(\.message)
}

/// A job file that ships, by its path below `jobs/` without `.yaml`.
func shipped(_ path: String) throws -> JobFile {
    let file = repository.appending(path: "jobs/\(path).yaml")
    return try JobFile.parse(Array(try Data(contentsOf: file)), file: "\(path).yaml").get()
}
