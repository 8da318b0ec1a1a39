internal import CMicroHTTPD
internal import CMicroHTTPDShim
import Glibc
import Synchronization

/// libmicrohttpd's side: requests in, answers out.
///
/// The pointers are libmicrohttpd's, which may be called from any thread; what changes is behind the lock. So it is
/// `@unchecked Sendable` by what its fields are, not by their types.
final class ServerCore: @unchecked Sendable {
    private struct State {
        var isStopping = false
        var working: [UInt64: Task<Void, Never>] = [:]
        var nextNumber: UInt64 = 0
    }

    private let handler: HTTPServer.Handler
    private let limits: ServerLimits
    private let takesForms: Bool
    let connections: OpenConnections
    private let state = Mutex(State())
    private let daemon = Mutex<Daemon>(Daemon())

    /// Set once at the start and once at the end.
    private struct Daemon: @unchecked Sendable {
        var pointer: OpaquePointer?
    }

    init(_ limits: ServerLimits, takesForms: Bool, _ handler: @escaping HTTPServer.Handler) {
        self.handler = handler
        self.takesForms = takesForms
        self.limits = limits
        connections = OpenConnections(limits)
    }

    /// The port it listens on; nil when it can't.
    func start(_ address: ListenAddress) -> UInt16? {
        let started = mhd_shim_start_server(
            address.networkAddress, address.port, limits.accepted, limits.ofOneAddress,
            limits.silence, limits.headBytes,
            ServerCore.onRequest, ServerCore.onEnd, ServerCore.onConnection,
            Unmanaged.passUnretained(self).toOpaque())
        guard let started else { return nil }
        let port = mhd_shim_port(started)
        daemon.withLock { $0.pointer = started }
        return port
    }

    func stop() async {
        guard let pointer = daemon.withLock({ $0.pointer.take() }) else { return }
        let stopping = Daemon(pointer: pointer)
        // No suspended connection may be left when it ends.
        let working = state.withLock { state in
            state.isStopping = true
            return Array(state.working.values)
        }
        for task in working { task.cancel() }
        for task in working { await task.value }
        MHD_stop_daemon(stopping.pointer)
    }

    // MARK: Called by libmicrohttpd

    /// Called with a request's head, with each part of its body, and then, where nothing was queued, whenever it may be
    /// answered.
    private static let onRequest: MHD_AccessHandlerCallback = {
        context, connection, path, method, _, part, partBytes, known in
        guard let context, let connection, let path, let method, let known, let partBytes else {
            return .NO
        }
        let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
        if known.pointee == mhd_shim_too_many_parameters() {
            core.connections.ask(socket: mhd_shim_socket(connection))
            return reply(ServedResponse(414, "expected fewer parameters\n"), connection)
        }
        if let exchange = known.pointee {
            let found = Unmanaged<Exchange>.fromOpaque(exchange).takeUnretainedValue()
            guard partBytes.pointee > 0 else { return core.serve(found, connection) }
            found.take(UnsafeRawBufferPointer(start: part, count: partBytes.pointee))
            partBytes.pointee = 0
            return .YES
        }
        core.connections.ask(socket: mhd_shim_socket(connection))
        let verb = String(cString: method)
        // The head is here, and no body is waited for but a form's: whoever announces one is refused, and the connection
        // ends.
        if let refusal = core.refusal(of: verb, connection) { return reply(refusal, connection) }
        known.pointee =
            Unmanaged.passRetained(
                Exchange(path: String(cString: path), isPost: verb == "POST")
            ).toOpaque()
        return .YES
    }

    private func refusal(of method: String, _ connection: OpaquePointer) -> ServedResponse? {
        let headers = Self.pairs(connection, .HEADER_KIND).map {
            (name: $0.name.lowercased(), value: $0.value)
        }
        let lengths = headers.filter { $0.name == "content-length" }.map(\.value)
        let isChunked = headers.contains { $0.name == "transfer-encoding" }
        if method == "POST", takesForms {
            guard !isChunked, lengths.count == 1, let length = Int(lengths[0]) else {
                return ServedResponse(411, "expected one Content-Length\n")
            }
            guard (0...limits.formBytes).contains(length) else {
                return ServedResponse(413, "expected at most \(limits.formBytes) bytes\n")
            }
            let types = headers.filter { $0.name == "content-type" }.map {
                $0.value.prefix { $0 != ";" }.lowercased()
            }
            guard types == ["application/x-www-form-urlencoded"] else {
                return ServedResponse(415, "expected a form\n")
            }
            return nil
        }
        guard ["GET", "HEAD"].contains(method) else {
            return ServedResponse(405, "expected GET or HEAD\n")
        }
        let hasBody = isChunked || lengths.contains { $0 != "0" }
        return hasBody ? ServedResponse(413, "expected no body\n") : nil
    }

    private static let onEnd: MHD_RequestCompletedCallback = { _, _, known, _ in
        guard let exchange = known?.pointee, exchange != mhd_shim_too_many_parameters() else {
            return
        }
        known?.pointee = nil
        Unmanaged<Exchange>.fromOpaque(exchange).release()
    }

    private static let onConnection: MHD_NotifyConnectionCallback = {
        context, connection, _, change in
        guard let context, let connection else { return }
        let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
        let socket = mhd_shim_socket(connection)
        if change == .CONNECTION_NOTIFY_STARTED {
            core.connections.add(socket: socket)
        } else {
            core.connections.remove(socket: socket)
        }
    }

    // MARK: The steps of an exchange

    private func serve(_ exchange: Exchange, _ connection: OpaquePointer) -> MHD_Result {
        if let response = exchange.response { return Self.reply(response, connection) }
        guard let form = FormBody.fields(of: exchange.body) else {
            return Self.reply(ServedResponse(400, "expected a form of few fields\n"), connection)
        }
        let request = ServedRequest(
            path: exchange.path, query: Self.pairs(connection, .GET_ARGUMENT_KIND),
            posted: exchange.isPost ? form : nil,
            headers: Self.pairs(connection, .HEADER_KIND),
            peer: text(of: mhd_shim_peer(connection)), own: text(of: mhd_shim_own(connection)))
        let isWorking = work(on: request, exchange, Suspended(connection: connection))
        return isWorking ? .YES : Self.reply(ServedResponse(503, "stopping\n"), connection)
    }

    /// A connection that waits for its answer.
    private struct Suspended: @unchecked Sendable {
        // Only handed to MHD_resume_connection, which may be called from any thread.
        let connection: OpaquePointer
    }

    /// Lets the handler work while the connection is suspended, which is resumed in any case; false: the server stops.
    private func work(
        on request: ServedRequest, _ exchange: Exchange, _ waiting: Suspended
    ) -> Bool {
        state.withLock { state in
            guard !state.isStopping else { return false }
            MHD_suspend_connection(waiting.connection)
            state.nextNumber += 1
            let number = state.nextNumber
            // It takes the lock at its end, which is held until it is noted here.
            state.working[number] = Task {
                exchange.response = await self.handler(request)
                MHD_resume_connection(waiting.connection)
                self.state.withLock { _ = $0.working.removeValue(forKey: number) }
            }
            return true
        }
    }

    private static func pairs(
        _ connection: OpaquePointer, _ kind: MHD_ValueKind
    ) -> [(name: String, value: String)] {
        var pairs: [(name: String, value: String)] = []
        withUnsafeMutablePointer(to: &pairs) { pairs in
            _ = MHD_get_connection_values(
                connection, kind,
                { context, _, name, value in
                    guard let name else { return .YES }
                    context?.assumingMemoryBound(to: [(name: String, value: String)].self).pointee
                        .append(
                            (
                                name: String(cString: name),
                                value: value.map { String(cString: $0) } ?? ""
                            ))
                    return .YES
                }, pairs)
        }
        return pairs
    }

    private static func reply(_ response: ServedResponse, _ connection: OpaquePointer) -> MHD_Result
    {
        let made = response.body.withUnsafeBytes {
            MHD_create_response_from_buffer(
                $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
        }
        guard let made else { return .NO }
        defer { MHD_destroy_response(made) }
        MHD_add_response_header(made, "Content-Type", response.type)
        MHD_add_response_header(made, "Cache-Control", "no-store")
        // A connection that is kept is one that others don't have.
        MHD_add_response_header(made, "Connection", "close")
        MHD_add_response_header(made, "X-Content-Type-Options", "nosniff")
        for (name, value) in response.headers { MHD_add_response_header(made, name, value) }
        return MHD_queue_response(connection, UInt32(response.status), made)
    }
}

/// An IPv4 address in network byte order, as it is written.
private func text(of address: UInt32) -> String {
    withUnsafeBytes(of: address) { $0.map(String.init).joined(separator: ".") }
}

/// One request on its way.
private final class Exchange: Sendable {
    let path: String
    let isPost: Bool
    private let posted = Mutex<[UInt8]>([])
    private let answer = Mutex<ServedResponse?>(nil)

    init(path: String, isPost: Bool) {
        self.path = path
        self.isPost = isPost
    }

    /// What has come of the body, which is as long as its length announced.
    var body: [UInt8] { posted.withLock { $0 } }

    func take(_ part: UnsafeRawBufferPointer) {
        posted.withLock { $0.append(contentsOf: part) }
    }

    /// Set once the handler has answered.
    var response: ServedResponse? {
        get { answer.withLock { $0 } }
        set { answer.withLock { $0 = newValue } }
    }
}
