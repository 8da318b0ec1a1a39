import Asking
import HTTP
import JobFiles
import Synchronization

/// Puts one page of its own into a pass: the first page that has a next gets a made-up position for
/// it, and what is asked for there is answered here.
final class PageInjector: Sender {
    /// What stands at the made-up position.
    enum Kind {
        /// The page before without its records, which leads on to where that one led.
        case empty
        /// The page before once more, which leads to the made-up position itself.
        case again
    }

    /// No source makes it, and it is the same in an address, a body and a header.
    private static let marker = "jobrunner-test-injector"

    private struct State {
        var answer: HTTPResponse?
        var isTaken = false
    }

    private let kind: Kind
    private let inner: any Sender
    private let pages: Pages
    private let state = Mutex(State())

    init(_ kind: Kind, _ inner: any Sender, _ pages: Pages) {
        self.kind = kind
        self.inner = inner
        self.pages = pages
    }

    /// The made-up position was asked for.
    var isTaken: Bool { state.withLock { $0.isTaken } }

    func send(
        _ request: HTTPRequest, deadline: ContinuousClock.Instant
    ) async throws(HTTPError) -> HTTPResponse {
        if let own = own(request) { return own }
        let response = try await inner.send(request, deadline: deadline)
        return state.withLock { state in
            guard state.answer == nil else { return response }
            let owners = pages.owners(of: request, response)
            for entity in owners where entity.allowsInjection {
                guard let next = entity.next(in: response) else { continue }
                let changed = entity.replacingNext(in: response, with: position(next, entity))
                state.answer =
                    kind == .again
                    ? changed : pages.changing(response, of: owners) { _ in [] }
                return changed
            }
            return response
        }
    }

    private func own(_ request: HTTPRequest) -> HTTPResponse? {
        let body = String(decoding: request.body ?? [], as: UTF8.self)
        guard request.url.contains(Self.marker) || body.contains(Self.marker) else { return nil }
        return state.withLock { state in
            state.isTaken = true
            return state.answer
        }
    }

    private func position(_ next: String, _ entity: Entity) -> String {
        guard entity.continuesByAddress else { return Self.marker }
        return next + (next.contains("?") ? "&" : "?") + Self.marker + "=1"
    }
}
