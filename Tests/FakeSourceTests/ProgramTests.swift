import Foundation
import Glibc
import Testing

@testable import FakeSource

@Suite struct ProgramTests {
    @Test(arguments: [
        (["--bogus"], "unknown option '--bogus'; see --help"),
        (["--listen"], "--listen needs a value"),
        (["--listen", "8080"], "--listen 8080: expected an IPv4 address and a port"),
        (["--listen", "127.0.0.1:99999"], "expected an IPv4 address and a port"),
        (["--users", "many"], "--users many: expected a whole number"),
        (["--users", "-1"], "expected a whole number"),
        (["--videos-min", "9", "--videos-max", "5"], "--videos-min 9 is above --videos-max"),
        (["--paging", "page"], "--paging page: expected cursor or since"),
    ])
    func `a wrong option is one clear line`(arguments: [String], line: String) {
        guard case .mistake(let text) = FakeSourceOptions.parse(arguments) else {
            Issue.record("it was accepted")
            return
        }
        #expect(text.contains(line) && !text.contains("\n"))
    }

    @Test func `options say what is served`() {
        let arguments = [
            "--listen", "0.0.0.0:8080", "--seed", "7", "--users", "5", "--videos-min", "200",
            "--paging", "since", "--page-delay", "3", "--log", "x", "--no-version-log",
        ]
        guard case .run(let options) = FakeSourceOptions.parse(arguments) else {
            Issue.record("it was refused")
            return
        }
        #expect(options.host == "0.0.0.0" && options.port == 8080 && options.seed == 7)
        #expect(options.users == 5 && options.videosMin == 200 && options.videosMax == 200)
        #expect(options.pagesBySince && options.pageDelay == 3 && !options.logsVersions)
    }

    /// The binary next to the one that runs this.
    private func program() throws -> URL {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(fileURLWithPath: own).deletingLastPathComponent()
            .appendingPathComponent("fake-source")
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `the program says where it listens, and leaves with 0 when told`(signal: Int32) throws {
        let process = Process()
        process.executableURL = try program()
        process.arguments = ["--listen", "127.0.0.1:0"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        #expect(line.hasPrefix("listening on http://127.0.0.1:") && line.hasSuffix("\n"))
        let port = try #require(UInt16(line.dropLast().split(separator: ":").last ?? ""))
        #expect(try Client(port: port).get("/health").status == 200)
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0 && process.terminationReason == .exit)
    }

    @Test func `the program explains a mistake on one line of stderr`() throws {
        let process = Process()
        process.executableURL = try program()
        process.arguments = ["--listen", "1.2.3.4:1"]
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        process.waitUntilExit()
        let text = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
        #expect(process.terminationStatus == 69)
        #expect(text.hasPrefix("fake-source: can't listen on 1.2.3.4:1"))
        #expect(text.filter { $0 == "\n" }.count == 1)
    }

    @Test func `a taken port is a failure in one line`() throws {
        try withSource { client in
            var options = FakeSourceOptions()
            options.port = client.port
            #expect(throws: FakeSourceStartFailure.self) { try FakeSourceServer(options) }
        }
    }

    @Test(arguments: [
        ("2025-01-31T10:20:30Z", "2025-01-31T10:20:30.000Z"),
        ("2024-02-29T23:59:59.9Z", "2024-02-29T23:59:59.900Z"),
        ("2025-01-01T00:30:00+01:00", "2024-12-31T23:30:00.000Z"),
        ("2025-01-01T00:30:00 0100", "2024-12-31T23:30:00.000Z"),
        ("1969-12-31T23:59:59.999999-00:30", "1970-01-01T00:29:59.999Z"),
    ])
    func `times are read in every usual form`(text: String, time: String) throws {
        #expect(iso8601(try #require(parseISO8601(text))) == time)
    }

    @Test(arguments: [
        "", "2025", "2025-13-01T00:00:00Z", "2025-01-01T00:00:00", "2025-01-01T00:00:00.Z",
    ])
    func `other texts are no times`(text: String) {
        #expect(parseISO8601(text) == nil)
    }

    @Test(arguments: ["", "a", "ab", "abc", "c:v1.2~é", "????>>>>"])
    func `base64 gives back what it took`(text: String) {
        #expect(Base64.decode(Base64.encode(text)) == text)
    }
}
