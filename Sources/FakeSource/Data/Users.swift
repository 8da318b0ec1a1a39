/// All users: those someone has touched, and cohorts of named ones that cost nothing until then.
final class Users {
    let seed: UInt64
    let videosMin: Int
    let videosMax: Int
    private(set) var touched: [String: User] = [:]
    private(set) var cohorts: [Cohort] = []
    /// The global counts of the hub's health answer: registered users only.
    private(set) var counts = (users: 0, channels: 0, videos: 0)
    private var keptSets = 0

    /// Registered sets are kept whole for this many users; for the rest a count and a hash do.
    private static let keptSetsMax = 1000

    /// Users `prefix000001` and on, all alike but for their names.
    struct Cohort {
        let prefix: String
        let first: Int
        let count: Int
        let videosMin: Int
        let videosMax: Int
        var isRegistered: Bool

        func name(_ number: Int) -> String { prefix + padded(Int64(first + number), 6) }

        func contains(_ name: String) -> Bool {
            guard name.hasPrefix(prefix), let number = Int(name.dropFirst(prefix.count)) else {
                return false
            }
            return number >= first && number < first + count && self.name(number - first) == name
        }
    }

    init(seed: UInt64, videosMin: Int, videosMax: Int) {
        self.seed = seed
        self.videosMin = videosMin
        self.videosMax = videosMax
    }

    /// The user if it exists; made for this one look when nobody touched it yet.
    func find(_ name: String) -> User? {
        if let user = touched[name] { return user }
        guard let cohort = cohorts.last(where: { $0.contains(name) }) else { return nil }
        return make(name, cohort)
    }

    /// The user, stored from now on; made when it does not exist.
    private func touch(_ name: String) -> User {
        let user = find(name) ?? create(name, videosMin, videosMax, registered: false)
        touched[name] = user
        return user
    }

    /// Every change to a user goes through here, so that the global counts stay true.
    func change<Result, Failure: Error>(
        _ name: String, _ body: (User) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let user = touch(name)
        add(user, times: -1)
        defer { add(user, times: 1) }
        return try body(user)
    }

    func put(_ name: String, videosMin: Int, videosMax: Int, registered: Bool) -> User {
        if let old = find(name) { add(old, times: -1) }
        let user = create(name, videosMin, videosMax, registered: registered)
        touched[name] = user
        add(user, times: 1)
        return user
    }

    /// False when the names overlap another cohort's.
    func add(_ cohort: Cohort) -> Bool {
        let overlaps = cohorts.contains {
            $0.prefix == cohort.prefix && $0.first < cohort.first + cohort.count
                && cohort.first < $0.first + $0.count
        }
        guard !overlaps else { return false }
        cohorts.append(cohort)
        guard cohort.isRegistered else { return true }
        for number in 0..<cohort.count where touched[cohort.name(number)] == nil {
            add(make(cohort.name(number), cohort), times: 1)
        }
        return true
    }

    private func add(_ user: User, times sign: Int) {
        guard user.isRegistered else { return }
        counts.users += sign
        counts.channels += sign * user.channelCount
        counts.videos += sign * user.liveCount
    }

    private func make(_ name: String, _ cohort: Cohort) -> User {
        create(name, cohort.videosMin, cohort.videosMax, registered: cohort.isRegistered)
    }

    private func create(_ name: String, _ low: Int, _ high: Int, registered: Bool) -> User {
        let key = Catalogue.key(seed: seed, user: name)
        let count = low + Int(Catalogue.randomBits(key, 0, 10) % UInt64(high - low + 1))
        let user = User(name: name, key: key, baseCount: count, isRegistered: registered)
        if registered { user.channelCount = Catalogue.channelCount(key) }
        return user
    }

    func register(_ name: String, channels: [String]) {
        change(name) { user in
            user.isRegistered = true
            user.channelCount = channels.count
            user.channelsHash = channels.sorted().reduce(0) { Catalogue.key(seed: $0, user: $1) }
            if user.channels == nil, keptSets < Users.keptSetsMax {
                keptSets += 1
                user.channels = []
            }
            if user.channels != nil { user.channels = channels }
        }
    }

    func forget(_ name: String) -> Bool {
        guard find(name) != nil else { return false }
        change(name, unregister)
        return true
    }

    func forgetAll() {
        touched.values.forEach(unregister)
        for number in cohorts.indices { cohorts[number].isRegistered = false }
        counts = (0, 0, 0)
    }

    private func unregister(_ user: User) {
        user.isRegistered = false
        user.channelCount = 0
        user.channelsHash = 0
        if user.channels != nil { user.channels = [] }
    }

    /// A cohort's member, nil when someone touched it.
    func untouched(_ number: Int, of cohort: Cohort) -> User? {
        let name = cohort.name(number)
        return touched[name] == nil ? make(name, cohort) : nil
    }

    /// All users there are, registered or not.
    var count: Int {
        let members = cohorts.reduce(0) { $0 + $1.count }
        let others = touched.keys.lazy.filter { name in
            !self.cohorts.contains { $0.contains(name) }
        }
        return members + others.count
    }
}
