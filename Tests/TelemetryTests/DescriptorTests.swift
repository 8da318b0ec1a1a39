import Glibc
import Testing

@testable import Telemetry

private func makePipe() throws -> (reader: Int32, writer: Int32) {
    var ends: [Int32] = [0, 0]
    let result = pipe(&ends)
    try #require(result == 0)
    return (ends[0], ends[1])
}

/// What one read takes.
private func readOnce(_ descriptor: Int32) -> String {
    var buffer = [UInt8](repeating: 0, count: 1 << 17)
    let count = read(descriptor, &buffer, buffer.count)
    return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
}

@Suite struct DescriptorTests {
    /// A sequenced-packet socket keeps each write apart, so a read tells what one write was.
    @Test func `every line is one write`() throws {
        var ends: [Int32] = [0, 0]
        let result = socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends)
        try #require(result == 0)
        defer { ends.forEach { close($0) } }
        let log = Log(LogSettings(), sink: .descriptor(ends[1]))
        for count in 1...5 { log.emit(.jobsReaped(Subject(), count: count)) }
        for count in 1...5 {
            #expect(readOnce(ends[0]).hasSuffix("Z warning jobs reaped count=\(count)\n"))
        }
    }

    @Test func `lines of many callers never mix`() async throws {
        let (reader, writer) = try makePipe()
        defer { close(reader) }
        let log = Log(LogSettings(), sink: .descriptor(writer))
        // 160 lines of at most 300 bytes: less than a pipe holds unread.
        await withTaskGroup(of: Void.self) { group in
            for caller in 0..<4 {
                group.addTask { @concurrent in
                    for length in 100..<140 {
                        let reason = String(repeating: "\(caller)", count: length)
                        log.emit(.jobQuarantined(Subject(), reason: reason))
                    }
                }
            }
        }
        close(writer)
        let lines = readOnce(reader).split(separator: "\n")
        #expect(lines.count == 160)
        for line in lines {
            let reason = line.drop { $0 != "=" }.dropFirst()
            #expect(line.contains("Z error job quarantined reason="))
            #expect(Set(reason).count == 1 && (100..<140).contains(reason.count))
        }
    }

    @Test func `a reader that is gone costs nothing but the line`() throws {
        let (reader, writer) = try makePipe()
        defer { close(writer) }
        close(reader)
        Log(LogSettings(), sink: .descriptor(writer)).emit(.jobsReaped(Subject(), count: 1))
        #expect(!LineSink.descriptor(writer).write([10], 0))
    }

    @Test func `a closed standard error costs nothing but the line`() {
        // No process here has so many files open.
        #expect(!LineSink.descriptor(1_000_000).write([10], 0))
    }

    @Test func `a reader that stopped reading never blocks the caller for long`() throws {
        let (reader, writer) = try makePipe()
        defer {
            close(reader)
            close(writer)
        }
        let sink = LineSink.descriptor(writer)
        let line = [UInt8](repeating: 65, count: 4096)
        var taken = 0
        while taken < 1000, sink.write(line, 0) { taken += 1 }
        #expect(taken < 1000)
        let log = Log(LogSettings(), sink: sink)
        let took = ContinuousClock().measure {
            for _ in 0..<10_000 { log.emit(.jobsReaped(Subject(), count: 1)) }
        }
        // One wait of 20 ms; one for each line would be 200 s.
        #expect(took < .seconds(60))
    }
}
