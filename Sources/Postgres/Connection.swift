import CLibPQ
import Glibc

/// One socket to the server, for one thread.
///
/// The thread sleeps in `poll` over the socket, a wake-up and the deadline. When the work is interrupted,
/// the connection asks the server to cancel and goes on reading, because only the server's answer tells
/// what happened. A server that does not answer in time loses the connection, even without an
/// interruption: a server that hangs, or a proxy that forwards nothing, must not keep a lane.
final class Connection {
    /// How long the server may take to answer a cancel, a rollback or a close.
    static let answerTimeout: Duration = .seconds(2)

    /// How long to wait for a cancel to take effect before the next.
    private static let cancelInterval: Duration = .milliseconds(50)

    let wake: EventFD
    /// How long the server may take over a turn; nil means as long as it likes.
    var turnLimit: Duration?
    /// Whose deadline and cancellation the waits obey.
    var interruption = Interruption(deadline: nil)
    private(set) var handle: OpaquePointer?
    /// Which server it leads to; nil when that is not known, as behind a pooler.
    private var server: ServerIdentity?
    /// A statement is cancelled by a connection of its own, which behind a pooler could meet somebody else's.
    private let cancels: Bool
    private let timelines: ServerTimelines
    /// The newest timeline when the present turn began: of a pooler's servers no more is known.
    private var newestAtBegin: Int64?
    private let shutdown = ServerShutdown()
    /// The server takes no writes (25006): whatever it is by now, another session may lead to one that does.
    var isReadOnly = false
    /// Set once a cancel was sent for the present turn.
    private(set) var cancelReason: DatabaseError.Code?
    /// When to ask again: a cancel that overtakes its statement finds an idle server and is lost.
    private var nextCancel: ContinuousClock.Instant?
    /// When the present turn's answer must be there or the connection is closed.
    private var limit: ContinuousClock.Instant?
    /// The present turn ends what an interruption left, so that it does not handle the interruption.
    private var isCleanUp = false

    init(wake: EventFD, turnLimit: Duration?, cancels: Bool, timelines: ServerTimelines) {
        self.wake = wake
        self.turnLimit = turnLimit
        self.cancels = cancels
        self.timelines = timelines
    }

    deinit { close() }

    var isOpen: Bool { handle != nil }

    func close() {
        if let handle { PQfinish(handle) }
        handle = nil
    }

    /// Takes over a connected session.
    func adopt(_ found: FoundServer) {
        close()
        let handle = found.handle
        self.handle = handle
        server = found.identity
        newestAtBegin = nil
        PQsetnonblocking(handle, 1)
        shutdown.isAnnounced = false
        isReadOnly = false
        PQsetNoticeReceiver(handle, receiveNotice, Unmanaged.passUnretained(shutdown).toOpaque())
    }

    /// The handle, or `.notConnected`.
    func opened() throws -> OpaquePointer {
        guard let handle else {
            throw DatabaseError(.notConnected, "the session has lost its connection")
        }
        return handle
    }

    /// Where the transaction stands; unknown without a connection.
    var transactionStatus: PGTransactionStatusType {
        handle.map { PQtransactionStatus($0) } ?? PQTRANS_UNKNOWN
    }

    /// The timeline that has taken the place of its server's; nil while none is known to have.
    private var successor: Int64? {
        if let server { return timelines.successor(of: server) }
        guard let before = newestAtBegin, let now = timelines.ofOnlyCluster else { return nil }
        return now > before ? now : nil
    }

    /// Notices, between two uses, that the server has hung up, or was replaced.
    func discardIfDead() {
        guard let handle else { return }
        guard successor == nil else { return close() }
        var entry = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        while poll(&entry, 1, 0) > 0 {
            let isRead = PQconsumeInput(handle) == 1
            _ = PQisBusy(handle)  // parses what was read
            guard isRead, !shutdown.isAnnounced else { return close() }
        }
    }

    /// Begins a turn.
    ///
    /// A clean-up ignores the interruption but gets little time.
    func beginTurn(isCleanUp: Bool = false) throws {
        cancelReason = nil
        nextCancel = nil
        self.isCleanUp = isCleanUp
        newestAtBegin = timelines.ofOnlyCluster
        limit = (isCleanUp ? Self.answerTimeout : turnLimit).map { .now + $0 }
        if !isCleanUp, let reason = interruption.reason {
            throw DatabaseError.interrupted(reason)
        }
    }

    /// Sends what libpq has buffered, reading meanwhile so that both sides can't block.
    func flush() throws {
        let handle = try opened()
        while true {
            let pending = PQflush(handle)
            if pending == 0 { return }
            // A failed write is reported by the read that follows, with the server's last words.
            if pending < 0 { return }
            try wait(Int16(POLLIN) | Int16(POLLOUT))
            if PQconsumeInput(handle) == 0 { return }
        }
    }

    /// The next result, nil at the end of a statement's results.
    func nextResult() throws -> ResultHandle? {
        let handle = try opened()
        while PQisBusy(handle) != 0 {
            try wait(Int16(POLLIN))
            if PQconsumeInput(handle) == 0 { break }
        }
        return PQgetResult(handle).map { ResultHandle($0) }
    }

    /// True when libpq has seen the connection break.
    var isBroken: Bool { handle.map { PQstatus($0) == CONNECTION_BAD } ?? true }

    /// libpq's last words, closing the connection.
    func lost() -> DatabaseError {
        let message = handle.flatMap { PQerrorMessage($0) }.map { String(cString: $0) } ?? ""
        close()
        let text = oneLine(message, limit: 500)
        return DatabaseError(.connectionLost, text.isEmpty ? "the connection broke" : text)
    }

    /// Remembers what an error says of the server.
    func note(_ error: DatabaseError) {
        if error.isReadOnlyServer { isReadOnly = true }
    }

    /// The error as its cause: after a cancel of ours it is the deadline or the cancellation.
    func explained(_ error: DatabaseError) -> DatabaseError {
        guard let reason = cancelReason, error.code == .server("57014") else { return error }
        return DatabaseError(
            reason, DatabaseError.interrupted(reason).message, sqlstate: error.sqlstate)
    }

    private func isReadable(_ handle: OpaquePointer) -> Bool {
        var entry = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    /// Sleeps until the socket is ready, cancelling the statement when the work is interrupted.
    private func wait(_ events: Int16) throws {
        let handle = try opened()
        while true {
            if cancelReason == nil, !isCleanUp, let reason = interruption.reason {
                cancelReason = reason
                limit = earlier(limit, .now + Self.answerTimeout)
                nextCancel = .now
            }
            if let successor {
                close()
                throw DatabaseError.replaced(by: successor)
            }
            if cancels, let due = nextCancel, due <= .now {
                CancelRequest(of: handle)?.send(limit: Self.answerTimeout)
                nextCancel = .now + Self.cancelInterval
            }
            if let limit, limit <= .now, !isReadable(handle) {
                close()
                throw DatabaseError(.connectionLost, "the server did not answer in time")
            }
            var entries = [
                pollfd(fd: PQsocket(handle), events: events, revents: 0),
                pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&entries, 2, wake.timeout(until: nextLook))
            if entries[1].revents != 0 { wake.drain() }
            if entries[0].revents != 0 { return }
        }
    }

    /// When there is something to do though nothing has come.
    private var nextLook: ContinuousClock.Instant? {
        isCleanUp || cancelReason != nil
            ? earlier(limit, nextCancel) : earlier(limit, interruption.deadline)
    }
}

/// The earlier of two instants; nil is never.
private func earlier(
    _ one: ContinuousClock.Instant?, _ other: ContinuousClock.Instant?
) -> ContinuousClock.Instant? {
    guard let one, let other else { return one ?? other }
    return min(one, other)
}

/// Whether the server has said, between two statements, that it is shutting down.
private final class ServerShutdown {
    var isAnnounced = false
}

/// Takes notices, which go nowhere, for the fatal report of a server that shuts down.
private func receiveNotice(_ argument: UnsafeMutableRawPointer?, _ report: OpaquePointer?) {
    guard let argument, let report, isFatalReport(report) else { return }
    Unmanaged<ServerShutdown>.fromOpaque(argument).takeUnretainedValue().isAnnounced = true
}
