/// Every version of every record in every reply.
final class VersionLog {
    struct Entry {
        let request: Int
        let user: Int32
        let version: Int32
        let id: String
    }

    let isOn: Bool
    private(set) var entries: [Entry] = []
    private(set) var users: [String] = []
    private var numbers: [String: Int32] = [:]

    init(isOn: Bool) { self.isOn = isOn }

    func add(_ served: Answer.Served, to user: String, request: Int) {
        guard isOn, !served.versions.isEmpty else { return }
        let known = numbers[user] ?? Int32(users.count)
        if Int(known) == users.count {
            users.append(user)
            numbers[user] = known
        }
        for (id, version) in served.versions {
            entries.append(
                Entry(request: request, user: known, version: Int32(version), id: id))
        }
    }

    func clear() {
        entries = []
        users = []
        numbers = [:]
    }
}
