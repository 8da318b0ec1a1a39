import Basics
import CCurl
import CCurlShim
import Glibc
import Synchronization

/// Drives all transfers of a client on one thread around curl's multi handle.
///
/// Callers post messages and wake the thread; it adds, times out, cancels and finishes transfers,
/// and resumes each caller once. `@unchecked`: the inbox has a lock, the counter is atomic, and the
/// rest belongs to the thread.
final class TransferLoop: @unchecked Sendable {
    enum Message {
        case add(Transfer, CheckedContinuation<TransferResult, Never>)
        case cancel(Transfer)
        case close
    }

    private struct Inbox {
        var messages: [Message] = []
        /// False from the moment the thread stops reading; the multi handle is gone soon after.
        var isOpen = true
    }

    /// A transfer on its way and the handle that serves it.
    private struct Active {
        var transfer: Transfer
        var easy: EasyHandle
    }

    /// Connections kept open between transfers.
    private static let idleConnectionsMax = 256
    /// Transfers that get a buffer of curl's usual size.
    private static let largeBuffersMax = 128
    private static let sleepMillisecondsMax = 60_000
    /// A body shorter than this is never given up to make room for others.
    private static let givenUpBytesMin = 1 << 20

    private let settings: ClientSettings
    private let multi: UnsafeMutableRawPointer
    private let inbox = Mutex(Inbox())
    private let connects = Atomic<Int>(0)
    private let held = HeldBytes()

    private var waiting = TransferQueue()
    /// By the address of the curl handle, which is what curl tells of a transfer that has ended.
    private var active: [UnsafeMutableRawPointer: Active] = [:]
    private var deadlines = DeadlineHeap()

    init(settings: ClientSettings) {
        self.settings = settings
        guard curlIsReady, let multi = curl_multi_init() else {
            fatalError("libcurl can't start")
        }
        self.multi = multi
        let idleMax = min(settings.connectionsMax, Self.idleConnectionsMax)
        jr_multi_setopt_long(multi, CURLMOPT_MAXCONNECTS, idleMax)
        jr_multi_setopt_long(
            multi, CURLMOPT_MAX_TOTAL_CONNECTIONS,
            min(settings.connectionsMax, max(settings.transfersMax, idleMax)))
        jr_multi_setopt_long(
            multi, CURLMOPT_MAX_HOST_CONNECTIONS, settings.connectionsPerHostMax)
        guard startThread({ self.run() }) else { fatalError("no thread left for HTTP") }
    }

    var connectsCount: Int { connects.load(ordering: .relaxed) }

    /// Hands a message to the thread; after the end additions are cancelled, the rest is dropped.
    func post(_ message: Message) {
        let isTaken = inbox.withLock { inbox in
            guard inbox.isOpen else { return false }
            inbox.messages.append(message)
            // Under the lock, because the multi handle must not be freed in between.
            if inbox.messages.count == 1 { curl_multi_wakeup(multi) }
            return true
        }
        if !isTaken, case .add(_, let continuation) = message {
            continuation.resume(returning: .failure(.cancelled))
        }
    }

    private func run() {
        while readInbox() {
            expireDue()
            admitWaiting()
            var runningCount: CInt = 0
            curl_multi_perform(multi, &runningCount)
            giveUpLongest()
            finishDone()
            curl_multi_poll(multi, nil, 0, CInt(sleepMilliseconds), nil)
        }
        shutDown()
    }

    /// Takes what callers posted; false once the client is closed.
    private func readInbox() -> Bool {
        let messages = inbox.withLock { inbox in
            defer { inbox.messages.removeAll() }
            return inbox.messages
        }
        var isOpen = true
        for message in messages {
            switch message {
            case .add(let transfer, let continuation): add(transfer, continuation)
            case .cancel(let transfer): cancel(transfer)
            case .close: isOpen = false
            }
        }
        return isOpen
    }

    private func add(
        _ transfer: Transfer, _ continuation: CheckedContinuation<TransferResult, Never>
    ) {
        transfer.continuation = continuation
        if case .cancelledEarly = transfer.state {
            finish(transfer, .failure(.cancelled))
        } else {
            transfer.state = .waiting
            waiting.append(transfer)
            deadlines.insert(transfer)
        }
    }

    private func cancel(_ transfer: Transfer) {
        switch transfer.state {
        case .new: transfer.state = .cancelledEarly
        case .waiting, .active: finish(transfer, .failure(.cancelled))
        case .cancelledEarly, .finished: break
        }
    }

    private func expireDue() {
        guard deadlines.first != nil else { return }
        let now = ContinuousClock.now
        while let transfer = deadlines.first, transfer.deadline <= now {
            var reached = HTTPError.Phase.queued
            if case .active(let pointer) = transfer.state, let easy = active[pointer]?.easy {
                reached = phase(of: easy)
            }
            finish(transfer, .failure(.timedOut(phase: reached)))
        }
    }

    private func admitWaiting() {
        while active.count < settings.transfersMax, let transfer = waiting.popFirst() {
            guard let easy = EasyHandle() else {
                finish(transfer, .failure(.lacking("memory")))
                continue
            }
            easy.prepare(
                for: transfer, settings: settings,
                isOneOfMany: active.count >= Self.largeBuffersMax)
            transfer.state = .active(easy.pointer)
            transfer.hold = BodyHold(held)
            active[easy.pointer] = Active(transfer: transfer, easy: easy)
            curl_multi_add_handle(multi, easy.pointer)
        }
    }

    private func finishDone() {
        var remaining: CInt = 0
        while let message = curl_multi_info_read(multi, &remaining) {
            guard message.pointee.msg == CURLMSG_DONE,
                let pointer = message.pointee.easy_handle, let ended = active[pointer]
            else { continue }
            let code = message.pointee.data.result
            let result = outcome(
                of: ended.transfer, on: ended.easy, code: code, limits: settings.limits)
            finish(ended.transfer, result)
        }
    }

    /// While bodies hold too many bytes, gives up the longest that is on its way.
    private func giveUpLongest() {
        let max = settings.limits.heldBytesMax
        while held.count > max {
            let longest = active.values.lazy.map(\.transfer).max { $0.body.count < $1.body.count }
            guard let longest, longest.body.count >= Self.givenUpBytesMin else { return }
            finish(longest, .failure(.crowded(limit: max)))
        }
    }

    /// Ends a transfer wherever it is; one in flight loses its connection.
    private func finish(_ transfer: Transfer, _ result: TransferResult) {
        deadlines.remove(transfer)
        if case .active(let pointer) = transfer.state,
            let easy = active.removeValue(forKey: pointer)?.easy
        {
            let opened = jr_getinfo_long(easy.pointer, CURLINFO_NUM_CONNECTS)
            connects.add(opened, ordering: .relaxed)
            curl_multi_remove_handle(multi, easy.pointer)
        }
        transfer.state = .finished
        transfer.continuation?.resume(returning: result)
        transfer.continuation = nil
        transfer.body = []
        transfer.hold = nil
    }

    private var sleepMilliseconds: Int {
        if active.count < settings.transfersMax, !waiting.isEmpty { return 0 }
        guard let next = deadlines.first else { return Self.sleepMillisecondsMax }
        return min((next.deadline - .now).millisecondsRoundedUp, Self.sleepMillisecondsMax)
    }

    private func shutDown() {
        let late = inbox.withLock { inbox in
            inbox.isOpen = false
            defer { inbox.messages.removeAll() }
            return inbox.messages
        }
        for case .add(let transfer, let continuation) in late { add(transfer, continuation) }
        while let transfer = deadlines.first { finish(transfer, .failure(.cancelled)) }
        curl_multi_cleanup(multi)
    }
}

/// Curl's process-wide state, set up once and kept to the end of the process.
private let curlIsReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
