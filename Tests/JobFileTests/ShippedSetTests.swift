import JobFile
import Testing

/// What holds for every file that ships.
@Suite struct ShippedSet {
    static let paths = [
        "luego/refresh", "metube/refresh", "metube/status", "metube/worker", "popcorn/refresh",
        "snapchef/refresh", "sportstime/refresh",
    ]

    @Test(arguments: paths)
    func `the expanded form is a job file that means the same`(path: String) throws {
        let job = try shipped(path)
        #expect(try parsed(job.expanded) == job)
    }
}
