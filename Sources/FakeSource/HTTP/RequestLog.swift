import Glibc

/// Every request, from its arrival to its end.
final class RequestLog {
    struct Entry {
        let number: Int
        let monotonic: Milliseconds
        let wall: Milliseconds
        let method: String
        let path: String
        let user: String?
        let since: String?
        let cursor: String?
        let limit: String?
        /// All that was sent; nil but for endpoints whose caller is to be looked at.
        var heard: Heard?
        let cloud: CloudTrace?
        var status = 0
        var served = Answer.Served()
        var fault: String?
        var bytes = 0
        var state = State.open
        /// When it ended, by both clocks; 0 while it is open.
        var endMonotonic: Milliseconds = 0
        var endWall: Milliseconds = 0
    }

    struct Heard {
        let query: String
        let header: String?
        let body: String
    }

    /// `cut` is every end but the regular one, whoever caused it.
    enum State: String { case open, complete, cut }

    /// Older entries leave memory in halves of this, some 200 MB; the file keeps all.
    static let entriesMax = 500_000

    private(set) var entries: [Entry] = []
    private(set) var nextNumber = 1
    private let file: Int32?

    init(file: Int32?) { self.file = file }

    /// The number the next entry gets.
    func takeNumber() -> Int {
        defer { nextNumber += 1 }
        return nextNumber
    }

    func open(_ entry: Entry) {
        if entries.count == RequestLog.entriesMax {
            entries.removeFirst(RequestLog.entriesMax / 2)
        }
        entries.append(entry)
    }

    func change(_ number: Int, _ body: (inout Entry) -> Void) {
        guard let place = place(of: number) else { return }
        body(&entries[place])
    }

    func close(_ number: Int, _ state: State) {
        guard let place = place(of: number) else { return }
        entries[place].state = state
        entries[place].endMonotonic = monotonicClock()
        entries[place].endWall = wallClock()
        entries[place].served.versions = []
        guard let file else { return }
        var line = JSONText()
        entries[place].write(into: &line)
        line.raw("\n")
        line.bytes.withUnsafeBytes { _ = write(file, $0.baseAddress, $0.count) }
    }

    func after(_ number: Int) -> ArraySlice<Entry> {
        entries[partition(entries.count) { entries[$0].number > number }...]
    }

    func clear() { entries = [] }

    /// Entries are in the order of their numbers.
    private func place(of number: Int) -> Int? {
        let place = partition(entries.count) { entries[$0].number >= number }
        return place < entries.count && entries[place].number == number ? place : nil
    }
}

extension RequestLog.Entry {
    func write(into json: inout JSONText) {
        json.raw("{")
        json.field("n", number)
        json.field("mono_ms", Int(monotonic))
        json.field("unix_ms", Int(wall))
        json.field("method", method)
        json.field("path", path)
        if let user { json.field("user", user) }
        if let since { json.field("since", since) }
        if let cursor { json.field("cursor", cursor) }
        if let limit { json.field("limit", limit) }
        if let heard {
            json.field("query", heard.query)
            if let header = heard.header { json.field("header", header) }
            json.field("body", heard.body)
        }
        json.field("status", status)
        json.field("records", served.records)
        if let first = served.first { json.field("first", first) }
        if let last = served.last { json.field("last", last) }
        if let next = served.next { json.field("next", next) }
        if let fault { json.field("fault", fault) }
        json.field("bytes", bytes)
        json.field("state", state.rawValue)
        if state != .open {
            json.field("end_mono_ms", Int(endMonotonic))
            json.field("end_unix_ms", Int(endWall))
        }
        cloud?.write(into: &json)
        json.raw("}")
    }

    /// The same as a line for COPY.
    var copyLine: String {
        let columns: [String?] = [
            String(number), String(monotonic), iso8601(wall), method, path, user, since, cursor,
            limit, String(status), String(served.records), served.first, served.last, served.next,
            fault, String(bytes), state.rawValue,
        ]
        return columns.map(copyField).joined(separator: "\t") + "\n"
    }
}
