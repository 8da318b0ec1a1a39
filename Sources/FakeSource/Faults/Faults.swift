/// The faults in force, in the order they were commanded.
struct Faults {
    let seed: UInt64
    private(set) var rules: [Fault] = []
    private var nextID = 1

    init(seed: UInt64) { self.seed = seed }

    mutating func add(_ body: [UInt8]) throws(BadRequest) -> Int {
        rules.append(try Fault.parse(body, id: nextID))
        nextID += 1
        return nextID - 1
    }

    /// All of them without an id; false when the id is unknown.
    mutating func remove(_ id: Int?) -> Bool {
        guard let id else {
            rules = []
            return true
        }
        guard let place = rules.firstIndex(where: { $0.id == id }) else { return false }
        rules.remove(at: place)
        return true
    }

    /// The first fault that strikes this request.
    ///
    /// Later ones don't see it.
    mutating func strike(_ request: Request) -> Fault? {
        for place in rules.indices where rules[place].matches(request) {
            rules[place].seen += 1
            let fault = rules[place]
            let isDue = fault.seen > fault.skip && (fault.times == 0 || fault.fired < fault.times)
            guard isDue, chance(fault) < fault.probability else { continue }
            rules[place].fired += 1
            return rules[place]
        }
        return nil
    }

    /// From 0 up to 1, fixed by the seed and the number of the match.
    private func chance(_ fault: Fault) -> Double {
        let bits = Catalogue.randomBits(splitMix64(seed), fault.id << 32 | fault.seen, 11)
        return Double(bits >> 11) / Double(1 << 53)
    }
}
