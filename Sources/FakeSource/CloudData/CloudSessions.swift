/// Web auth tokens: who they stand for, and whether they still do.
///
/// Several tokens of one user are several devices; they share the user's data.
final class CloudSessions {
    private var valid: [String: String] = [:]
    /// Every token ever, so that the log can name the user of an old one.
    private var known: [String: String] = [:]
    private var minted = 0

    func add(_ token: String, of user: String) {
        valid[token] = user
        known[token] = user
    }

    func user(_ token: String) -> String? { valid[token] }

    func owner(_ token: String) -> String? { known[token] }

    func tokens(of user: String) -> [String] {
        valid.filter { $0.value == user }.keys.sorted()
    }

    var users: [String] { Set(known.values).sorted() }

    /// A token with the characters that must be escaped in a query.
    func mint(for user: String) -> String {
        minted += 1
        let digest = Catalogue.key(seed: UInt64(minted), user: user)
        let token = "54__" + Base64.encode("\(minted)?>~\(user)") + "+/\(digest)=="
        add(token, of: user)
        return token
    }

    /// The next token of a session, nil when tokens don't rotate.
    func rotate(_ token: String, _ mode: CloudSettings.TokenMode) -> String? {
        guard mode != .none, let user = valid[token] else { return nil }
        if mode == .strict { valid[token] = nil }
        return mint(for: user)
    }

    /// From now on these answer 421; how many they were.
    func expire(user: String?) -> Int {
        let gone = valid.filter { user == nil || $0.value == user }
        for token in gone.keys { valid[token] = nil }
        return gone.count
    }
}
