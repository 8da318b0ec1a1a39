import Postgres

@testable import JobQueue

/// What `claim_jobs` does, once more and as simply as can be: jobs in an array, one server.
struct FakeClaims {
    struct Job {
        var tenant: Int64
        var user: Int64
        var time: Int64
        var isAsked = false
        /// Its row is not committed before then.
        var visibleAt: Int64 = .min
        var isRunning = false
        /// Somebody holds its row until then.
        var heldUntil: Int64 = .min
        /// Somebody has held its row.
        var wasHeld = false
        var place: UInt64
    }

    private(set) var jobs: [Job] = []
    private var places: [UInt64: Int] = [:]
    /// Numbers of the jobs that wait.
    private var live: Set<Int> = []
    private var nextPlace: UInt64 = 1
    private var limits: [Int64: Int] = [:]
    var weights: [Int64: Int] = [:]
    /// Somebody locks what the next claim is about to take.
    var contends = false
    /// A look walks so many times fewer jobs than the product's.
    var haste = 1
    /// What was claimed stays in the index, and is walked.
    var keepsDead = false
    private var dead: [DueJobs.Position] = []
    /// Entries that looks have come to.
    private(set) var walked = 0
    /// Microseconds.
    var now: Int64 = 1_000_000_000_000

    var waiting: [Job] { live.map { jobs[$0] } }

    func isWaiting(_ number: Int) -> Bool { live.contains(number) }

    mutating func add(
        tenant: Int64, at time: Int64, isAsked: Bool = false, visibleAt: Int64 = .min
    ) {
        let job = Job(
            tenant: tenant, user: Int64(jobs.count), time: time, isAsked: isAsked,
            visibleAt: visibleAt, place: 0)
        jobs.append(job)
        live.insert(jobs.count - 1)
        move(jobs.count - 1)
    }

    mutating func limit(_ tenant: Int64, to most: Int?) { limits[tenant] = most }

    func running(of tenant: Int64) -> Int { jobs.count { $0.tenant == tenant && $0.isRunning } }

    /// A row's new version stands elsewhere.
    mutating func move(_ number: Int) {
        places[jobs[number].place] = nil
        jobs[number].place = nextPlace
        places[nextPlace] = number
        nextPlace += 1
    }

    /// Another transaction locks its row, and changes nothing.
    mutating func hold(_ number: Int, until time: Int64) {
        jobs[number].heldUntil = time
        jobs[number].wasHeld = true
    }

    /// Another worker's claim.
    mutating func steal(_ number: Int) {
        if keepsDead { dead.append(position(number)) }
        jobs[number].isRunning = true
        live.remove(number)
        move(number)
    }

    /// A run has ended, and its job is not due again.
    mutating func end(user: Int64) {
        jobs[Int(user)].isRunning = false
        jobs[Int(user)].time = .max
    }

    mutating func answer(_ ticket: ClaimTicket) -> Helping {
        var helping = Helping()
        if contends, !ticket.locks {
            contends = false
            helping.isContended = true
            return helping
        }
        helping.at = now
        if ticket.look == .take {
            let looked = look(ticket)
            helping.looked = looked.end
            helping.lookedCount = looked.count
            note(looked.found, &helping)
            if looked.end.user == .max, looked.found.count <= ticket.limit {
                for number in looked.found
                where limits[jobs[number].tenant] == nil && isFree(number, ticket) {
                    take(number, &helping)
                }
                if helping.taken.count == looked.found.count { helping.found = [] }
            }
            return helping
        }
        if ticket.limit > 0 {
            if ticket.locks { pick(ticket, &helping) } else { takePlaces(ticket, &helping) }
        }
        guard ticket.lookMax > 0 else { return helping }
        let looked = look(ticket)
        helping.looked = looked.end
        helping.lookedCount = looked.count
        note(looked.found, &helping)
        return helping
    }

    /// By one update.
    private mutating func takePlaces(_ ticket: ClaimTicket, _ helping: inout Helping) {
        let offered = ticket.offers.reduce(0) { $0 + $1.jobs.count }
        precondition(offered <= ticket.limit, "\(offered) of \(ticket.limit) are offered")
        for offer in ticket.offers where limits[offer.tenant] == nil {
            for job in offer.jobs {
                guard let number = number(of: job, offer.tenant), isFree(number, ticket)
                else { continue }
                take(number, &helping)
            }
        }
    }

    private func number(of job: DueJobs.Job, _ tenant: Int64) -> Int? {
        guard let number = places[job.place.number], !jobs[number].isRunning,
            jobs[number].tenant == tenant, jobs[number].time <= now
        else { return nil }
        return number
    }

    private func isFree(_ number: Int, _ ticket: ClaimTicket) -> Bool {
        ticket.locks ? jobs[number].heldUntil < now : !jobs[number].wasHeld
    }

    private mutating func pick(_ ticket: ClaimTicket, _ helping: inout Helping) {
        for offer in ticket.offers {
            let room = limits[offer.tenant].map { max(0, $0 - running(of: offer.tenant)) }
            if room != nil { helping.limited.insert(offer.tenant) }
            var taken = 0
            for job in offer.jobs {
                guard taken < min(offer.share, room ?? .max), helping.jobs.count < ticket.limit
                else {
                    break
                }
                guard let number = number(of: job, offer.tenant), isFree(number, ticket)
                else { continue }
                take(number, &helping)
                taken += 1
            }
            if taken == room { helping.full.insert(offer.tenant) }
        }
    }

    private mutating func take(_ number: Int, _ helping: inout Helping) {
        let job = jobs[number]
        let claim = Claim(userID: job.user, name: "job", fence: 1, nonce: [])
        helping.jobs.append(
            ClaimedJob(
                claim: claim, tenantID: job.tenant, scheduledAt: job.time, claimedAt: now,
                deadline: .seconds(1), lane: job.isAsked ? .asked : .due, isForced: false,
                tickAt: job.time))
        helping.taken.insert(RowPlace(job.place))
        // Its own version of the row.
        jobs[number].wasHeld = false
        steal(number)
    }

    private mutating func look(
        _ ticket: ClaimTicket
    ) -> (found: [Int], end: DueJobs.Position, count: Int) {
        let end = min(ticket.end?.time ?? .max, now)
        let waiting = live.filter {
            jobs[$0].time <= end && position($0) > ticket.start && jobs[$0].visibleAt <= now
        }.map { (position($0), Optional($0)) }
        let gone = dead.filter { $0.time <= end && $0 > ticket.start }.map { ($0, Int?.none) }
        let entries = (waiting + gone).sorted { $0.0 < $1.0 }
        let most = ticket.lookMax / haste
        let some = entries.prefix(most)
        walked += some.count
        let isCut = entries.count >= most
        return (
            some.compactMap(\.1), isCut ? entries[most - 1].0.before : .after(end), some.count
        )
    }

    private func position(_ number: Int) -> DueJobs.Position {
        DueJobs.Position(time: jobs[number].time, user: jobs[number].user)
    }

    private func note(_ numbers: [Int], _ helping: inout Helping) {
        for number in numbers {
            let job = jobs[number]
            let found = DueJobs.Job(
                position: position(number), place: RowPlace(job.place),
                lane: job.isAsked ? .asked : .due)
            helping.found.append((job.tenant, found))
            if let weight = weights[job.tenant] { helping.weights[job.tenant] = weight }
        }
    }
}
