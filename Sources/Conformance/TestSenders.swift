import Basics
import Asking
import HTTP
import Synchronization

/// Counts the pages that come through it and the records in them.
final class CountingSender: Sender {
    struct Counts {
        var pages = 0
        var records = 0
    }

    private let inner: any Sender
    private let pages: Pages
    private let state = Mutex(Counts())

    init(_ inner: any Sender, _ pages: Pages) {
        self.inner = inner
        self.pages = pages
    }

    var counts: Counts { state.withLock { $0 } }

    func send(
        _ request: HTTPRequest, deadline: ContinuousClock.Instant
    ) async throws(HTTPError) -> HTTPResponse {
        let response = try await inner.send(request, deadline: deadline)
        if let entity = pages.owners(of: request, response).first {
            let records = pages.records(in: response, of: entity)
            state.withLock { counts in
                counts.pages += 1
                counts.records += records
            }
        }
        return response
    }
}

/// Lets `pagesMax` pages through; every later request fails as if the source were away.
struct PageLimitSender: Sender {
    let counter: CountingSender
    let pagesMax: Int

    func send(
        _ request: HTTPRequest, deadline: ContinuousClock.Instant
    ) async throws(HTTPError) -> HTTPResponse {
        guard counter.counts.pages < pagesMax else {
            throw .sendOrReceive("cut off by the test")
        }
        return try await counter.send(request, deadline: deadline)
    }
}

/// Puts the records of each page into another order, which is the same in every process, unless their order counts.
struct ShufflingSender: Sender {
    let inner: any Sender
    let pages: Pages

    func send(
        _ request: HTTPRequest, deadline: ContinuousClock.Instant
    ) async throws(HTTPError) -> HTTPResponse {
        let response = try await inner.send(request, deadline: deadline)
        let owners = pages.owners(of: request, response)
        guard !owners.isEmpty, !owners.contains(where: \.needsTheOrder) else { return response }
        return pages.changing(response, of: owners) { records in
            var generator = SplitMix(seed: UInt64(records.count) &+ 1)
            // Reversed first, so that two records change places as well.
            return records.reversed().shuffled(using: &generator)
        }
    }
}
