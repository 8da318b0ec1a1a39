import Foundation
import JobFiles
import Testing

/// The job files of the benchmarks, which no other test reads.
@Suite struct BenchmarkFiles {
    @Test func `every job file of the benchmarks is valid and named after its file`() throws {
        let folder = repository.appending(path: "Sources/Bench/JobFiles")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(
            names == [
                "pages1000.yaml", "pages200.yaml", "push.yaml", "refresh.yaml", "slow.yaml",
                "status.yaml",
            ])
        for name in names {
            let bytes = Array(try Data(contentsOf: folder.appending(path: name)))
            let job = try JobFile.parse(bytes, file: name).get()
            #expect("\(job.name).yaml" == "bench.\(name)")
            let table = name == "push.yaml" ? "pushed_status" : "static_record"
            #expect(job.entities.map(\.write.table) == [table])
        }
    }
}
