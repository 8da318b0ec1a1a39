/// One of the servers that a connection string names, and where its name leads.
struct ServerAddress: Hashable, Sendable {
    /// Its name, its numeric address, or the folder of its socket; empty: only `address` is known.
    var host: String
    /// The numeric address; nil when the host has to be resolved, or is a folder.
    var address: String?
    var port: String

    /// A socket in a folder, or in Linux' abstract names: nothing to resolve.
    var isLocal: Bool { host.hasPrefix("/") || host.hasPrefix("@") }

    /// The keywords that lead libpq to this server alone.
    var parameters: [String: String] {
        var all = ["port": port]
        // An empty value would let the environment's list in again.
        if !host.isEmpty { all["host"] = host }
        if let address { all["hostaddr"] = address }
        return all
    }

    /// For people.
    var words: String {
        let place = address.map { host.isEmpty || host == $0 ? $0 : "\(host) (\($0))" } ?? host
        return "\(place), port \(port)"
    }
}

/// The servers that libpq would try, in its order, and what else decides how they are tried.
struct ServerList: Sendable {
    /// Empty: the lists do not fit one another or leave places open, so that libpq is given them as they are.
    var servers: [ServerAddress]
    /// What `connect_timeout` says; nil means nothing, or no limit.
    var limit: Duration?
    /// What `target_session_attrs` says.
    var target: String

    /// Reads libpq's options: `host`, `hostaddr` and `port` are lists, of which the last may have one entry for all.
    init(_ options: [String: String]) {
        let names = entries(options["host"])
        let addresses = entries(options["hostaddr"])
        let count = addresses.isEmpty ? names.count : addresses.count
        let ports = entries(options["port"])
        target = options["target_session_attrs"] ?? "any"
        limit = options["connect_timeout"].flatMap { Int64($0) }.flatMap {
            $0 > 0 ? .seconds($0) : nil
        }
        servers = []
        guard names.isEmpty || names.count == count, [0, 1, count].contains(ports.count) else {
            return
        }
        let listed = (0..<count).map { place in
            let address = addresses.isEmpty ? "" : addresses[place]
            let port = ports.isEmpty ? "" : ports[ports.count == 1 ? 0 : place]
            return ServerAddress(
                host: names.isEmpty ? "" : names[place], address: address.isEmpty ? nil : address,
                port: port.isEmpty ? "5432" : port)
        }
        // An entry without name and address means a folder that only libpq knows.
        guard listed.allSatisfy({ !$0.host.isEmpty || $0.address != nil }) else { return }
        // From libpq 16 on.
        servers = options["load_balance_hosts"] == "random" ? listed.shuffled() : listed
    }
}

private func entries(_ list: String?) -> [String] {
    guard let list, !list.isEmpty else { return [] }
    return list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
}
