import HTTP
import Sync
import Synchronization

/// Counts the pages that come through it and the records in them.
final class Observer: Sender {
    /// What has come.
    struct Seen {
        var pages = 0
        var records = 0
    }

    private let inner: any Sender
    private let pages: Pages
    private let state = Mutex(Seen())

    init(_ inner: any Sender, _ pages: Pages) {
        self.inner = inner
        self.pages = pages
    }

    var seen: Seen { state.withLock { $0 } }

    func send(
        _ request: HTTPRequest, deadline: ContinuousClock.Instant
    ) async throws(HTTPError) -> HTTPResponse {
        let response = try await inner.send(request, deadline: deadline)
        if let entity = pages.owners(of: request, response).first {
            let records = pages.records(in: response, of: entity)
            state.withLock { seen in
                seen.pages += 1
                seen.records += records
            }
        }
        return response
    }
}

/// Lets so many pages through; whatever is asked for then finds no source.
struct Cutter: Sender {
    let observer: Observer
    let pagesMax: Int

    func send(
        _ request: HTTPRequest, deadline: ContinuousClock.Instant
    ) async throws(HTTPError) -> HTTPResponse {
        guard observer.seen.pages < pagesMax else {
            throw .sendOrReceive("cut off by the test")
        }
        return try await observer.send(request, deadline: deadline)
    }
}

/// Puts the records of each page into another order, the same in every process.
struct Shuffler: Sender {
    let inner: any Sender
    let pages: Pages

    func send(
        _ request: HTTPRequest, deadline: ContinuousClock.Instant
    ) async throws(HTTPError) -> HTTPResponse {
        let response = try await inner.send(request, deadline: deadline)
        let owners = pages.owners(of: request, response)
        guard !owners.isEmpty else { return response }
        return pages.changing(response, of: owners) { records in
            var dice = Dice(state: UInt64(records.count) &+ 1)
            // Reversed first, so that two records change places as well.
            return records.reversed().shuffled(using: &dice)
        }
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014): small and the same everywhere.
private struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        return word ^ (word >> 31)
    }
}
