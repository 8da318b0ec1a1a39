internal import CMicroHTTPD
internal import CMicroHTTPDShim
import Glibc

/// The static source's side of libmicrohttpd: as little work for a request as it allows.
///
/// One thread serves all connections, and the control commands too, so nothing needs a lock.
final class StaticServer {
    private var cache: StaticPageCache
    private let pageSize: Int
    private var delay: Milliseconds
    private var counters = StaticCounters()
    private let timer = ConnectionTimer()
    private var sleeperNumber = StaticServer.seen
    private var daemon: OpaquePointer?

    /// The state of a request that was seen and does not wait; those that wait have numbers above it.
    private static let seen = 1

    init(_ options: StaticOptions) {
        cache = StaticPageCache(options)
        pageSize = options.pageSize
        delay = Milliseconds(options.delay)
    }

    /// The port it listens on; nil when it can't.
    func start(host: String, port: UInt16, connectionsMax: UInt32) -> UInt16? {
        var address = in_addr()
        guard inet_pton(AF_INET, host, &address) == 1 else { return nil }
        daemon = mhd_shim_start(
            address.s_addr, port, connectionsMax, StaticServer.onRequest, StaticServer.onEnd,
            Unmanaged.passUnretained(self).toOpaque())
        return daemon.map { mhd_shim_port($0) }
    }

    func stop() {
        timer.stop()
        if let daemon { MHD_stop_daemon(daemon) }
        daemon = nil
        cache.clear()
    }

    // MARK: Called by libmicrohttpd

    /// Called twice at least: libmicrohttpd ends the connection of a request that is answered at the
    /// first call, before its end was read.
    private static let onRequest: MHD_AccessHandlerCallback = {
        context, connection, path, method, _, _, size, state in
        guard let context, let connection, let path, let method, let state else { return .NO }
        // No request has a body that matters.
        size?.pointee = 0
        guard state.pointee != nil else {
            state.pointee = UnsafeMutableRawPointer(bitPattern: StaticServer.seen)
            return .YES
        }
        return Unmanaged<StaticServer>.fromOpaque(context).takeUnretainedValue()
            .serve(connection, path, method, state)
    }

    private static let onEnd: MHD_RequestCompletedCallback = { context, _, state, _ in
        guard let context, let state else { return }
        let number = Int(bitPattern: state.pointee)
        state.pointee = nil
        guard number > StaticServer.seen else { return }
        let server = Unmanaged<StaticServer>.fromOpaque(context).takeUnretainedValue()
        server.timer.forget(number)
        server.counters.waiting -= 1
    }

    // MARK: The steps of a request

    private func serve(
        _ connection: OpaquePointer, _ path: UnsafePointer<CChar>, _ method: UnsafePointer<CChar>,
        _ state: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> MHD_Result {
        guard let user = StaticPath.user(path, among: cache.users) else {
            return control(connection, path, method)
        }
        guard strcmp(method, "GET") == 0 else { return reply(connection, 405, "GET only") }
        let number = Int(bitPattern: state.pointee)
        if number > StaticServer.seen {
            if timer.hasEnded(number) { return .NO }
        } else if delay > 0 {
            sleeperNumber += 1
            state.pointee = UnsafeMutableRawPointer(bitPattern: sleeperNumber)
            counters.wait()
            timer.sleep(connection, number: sleeperNumber, until: monotonicClock() + delay)
            return .YES
        }
        counters.requests += 1
        let feed = cache.feed(of: user)
        if let known = MHD_lookup_connection_value(connection, .HEADER_KIND, "If-None-Match"),
            cache.tag(feed) == String(cString: known)
        {
            counters.notModified += 1
            return queue(connection, 304, cache.notModified(feed))
        }
        return page(connection, feed)
    }

    private func page(_ connection: OpaquePointer, _ feed: Int32) -> MHD_Result {
        var since: Milliseconds?
        if let text = argument(connection, "since"), text.pointee != 0 {
            since = parseISO8601(String(cString: text))
            if since == nil { return reply(connection, 400, "since is not a time") }
        }
        guard let offset = number(connection, "offset", in: 0...1 << 40, missing: 0),
            let limit = number(
                connection, "limit", in: 1...StaticOptions.pageSizeMax, missing: pageSize)
        else { return reply(connection, 400, "offset and limit are whole numbers") }
        let key = StaticPageCache.Key(
            feed: feed, part: cache.part(feed, since: since), offset: offset, limit: limit)
        guard let (answer, bytes) = cache.page(key) else { return .NO }
        counters.pages += 1
        counters.bytes += bytes
        return queue(connection, 200, answer)
    }

    private func control(
        _ connection: OpaquePointer, _ path: UnsafePointer<CChar>, _ method: UnsafePointer<CChar>
    ) -> MHD_Result {
        switch "\(String(cString: method)) \(String(cString: path))" {
        case "GET /_control/counters": return reply(connection, 200, json: counters.json)
        case "POST /_control/change":
            guard let share = number(connection, "per_million", in: 1...1_000_000, missing: nil),
                let users = number(
                    connection, "users", in: 1...cache.users, missing: cache.users)
            else { return reply(connection, 400, "expected per_million, and perhaps users") }
            cache.change(share: UInt64(share), users: users, at: wallClock())
        case "POST /_control/settings":
            guard let wanted = number(connection, "delay_ms", in: 0...600_000, missing: nil)
            else { return reply(connection, 400, "expected delay_ms") }
            delay = Milliseconds(wanted)
        default: return reply(connection, 404, "no such user or command")
        }
        return reply(connection, 200, json: Array("{}".utf8))
    }

    // MARK: libmicrohttpd in small

    private func argument(_ connection: OpaquePointer, _ name: String) -> UnsafePointer<CChar>? {
        MHD_lookup_connection_value(connection, .GET_ARGUMENT_KIND, name)
    }

    /// Nil when it is wrong, or absent without a value to stand in.
    private func number(
        _ connection: OpaquePointer, _ name: String, in range: ClosedRange<Int>, missing: Int?
    ) -> Int? {
        guard let text = argument(connection, name), text.pointee != 0 else { return missing }
        var end: UnsafeMutablePointer<CChar>?
        let value = strtol(text, &end, 10)
        return end?.pointee == 0 && range.contains(value) ? value : nil
    }

    private func reply(_ connection: OpaquePointer, _ status: UInt32, _ line: String) -> MHD_Result
    {
        reply(connection, status, json: JSONText.object { $0.field("error", line) })
    }

    private func reply(_ connection: OpaquePointer, _ status: UInt32, json: [UInt8]) -> MHD_Result {
        let answer = json.withUnsafeBytes {
            MHD_create_response_from_buffer(
                $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
        }
        guard let answer else { return .NO }
        defer { MHD_destroy_response(answer) }
        MHD_add_response_header(answer, "Content-Type", "application/json")
        return queue(connection, status, answer)
    }

    private func queue(
        _ connection: OpaquePointer, _ status: UInt32, _ answer: OpaquePointer?
    ) -> MHD_Result {
        guard let answer else { return .NO }
        return MHD_queue_response(connection, status, answer)
    }
}
