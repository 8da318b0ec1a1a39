import JobQueue
import Testing

@testable import Claiming

@Suite("How far a worker has looked")
struct DueCursorTests {
    private let now: Int64 = 1_000_000_000_000

    private func due(_ reached: Int64? = nil, now: Int64) -> DueTenants {
        DueTenants(
            reached: DuePosition(time: reached ?? now, user: reached == nil ? .max : 7),
            isCut: reached != nil, now: now)
    }

    private func begun() -> DueCursor {
        var cursor = DueCursor()
        cursor.lookedAtFront(from: cursor.frontStart, due(now: now))
        return cursor
    }

    @Test func `what a look at the front was cut off from is looked at from there on`() {
        var cursor = begun()
        cursor.lookedAtFront(from: cursor.frontStart, due(now + 10, now: now + 100))
        #expect(cursor.front == .from(now + 100) && !cursor.isCaughtUp)
        let range = cursor.next
        #expect(
            range == DueCursor.Range(start: DuePosition(time: now + 10, user: 7), end: now + 100))
        cursor.looked(at: range!, due(now + 50, now: now + 200), took: 0.01)
        #expect(cursor.next?.start == DuePosition(time: now + 50, user: 7))
        cursor.looked(at: cursor.next!, due(now: now + 200), took: 0.01)
        #expect(cursor.isCaughtUp)
    }

    @Test(arguments: [(1, 1.0), (12, 4.0)])
    func `the front is moved back over late commits, of many workers by three a second`(
        _ workers: Int, _ pace: Double
    ) {
        var cursor = begun()
        cursor.rewindForLateCommits(of: workers, at: 100)
        #expect(cursor.front == .from(now - 3_000_000))
        cursor.lookedAtFront(from: cursor.frontStart, due(now: now))
        cursor.rewindForLateCommits(of: workers, at: 100 + pace - 0.1)
        #expect(cursor.front == .from(now))
        cursor.rewindForLateCommits(of: workers, at: 100 + pace)
        #expect(cursor.front == .from(now - 3_000_000))
    }

    @Test func `workers that start together move their fronts back one after the other`() {
        let moved = (0..<30).map { rank in
            var cursor = begun()
            cursor.rewindForLateCommits(rank: rank, of: 30, at: 100)
            cursor.lookedAtFront(from: cursor.frontStart, due(now: now))
            // The next time.
            var second = 100.0
            while cursor.front == .from(now) {
                second += 0.1
                cursor.rewindForLateCommits(rank: rank, of: 30, at: second)
            }
            return second
        }
        let gaps = zip(moved.sorted(), moved.sorted().dropFirst()).map { $1 - $0 }
        #expect(gaps.max()! < 0.5, "\(moved)")
    }

    @Test func `what is announced during a look at the front is looked at by the next`() {
        var cursor = begun()
        let start = cursor.frontStart
        _ = cursor.announce(dueFrom: now - 2_000_000)
        cursor.lookedAtFront(from: start, due(now: now + 10))
        #expect(cursor.front == .from(now - 2_000_000) && cursor.isRewound)
    }

    @Test func `a moment with too many dead entries is left out, and what is older is looked at`() {
        var cursor = begun()
        cursor.rescan()
        for _ in 0..<10 where cursor.next?.end == now { cursor.lookFailed(atFront: false) }
        #expect(cursor.next.map { $0.end < now && $0.end > now - 10_000 } == true)
    }

    @Test func `what is heard of while tenants are asked is looked at, whatever they had told`() {
        var cursor = begun()
        cursor.rescan()
        cursor.scanBegins()
        cursor.rescan(from: .from(now - 60_000_000))
        cursor.scanEnded(begunAt: now)
        #expect(cursor.ranges.map(\.start) == [.from(now - 60_000_000)])
        // Without that all is known when every tenant was asked.
        cursor.scanBegins()
        cursor.scanEnded(begunAt: now)
        #expect(cursor.isCaughtUp)
    }

    @Test func `a slice at the beginning of time that takes too long is dropped as any other`() {
        var cursor = DueCursor()
        cursor.lookedAtFront(from: cursor.frontStart, due(now: 500))
        cursor.rescan()
        for _ in 0..<20 where !cursor.hasDropped { cursor.lookFailed(atFront: false) }
        #expect(cursor.hasDropped && cursor.isCaughtUp)
    }

    @Test func `a near time moves the front, and an old one is a range of its own`() {
        var cursor = begun()
        let isNear = cursor.announce(dueFrom: now - 1_000_000)
        #expect(isNear)
        #expect(cursor.front == .from(now - 1_000_000))
        let isOldNear = cursor.announce(dueFrom: now - 3_600_000_000)
        #expect(!isOldNear)
        #expect(cursor.front == .from(now - 1_000_000))
        cursor.rescan(from: .from(now - 3_600_000_000))
        #expect(
            cursor.next
                == DueCursor.Range(
                    start: .from(now - 3_600_000_000), end: now - 1_000_000, isNews: true))
        // A range within another, or a whole row of them, is not looked at twice.
        cursor.rescan()
        #expect(cursor.ranges.count == 1)
        for second in 1...20 as ClosedRange<Int64> {
            cursor.lookedAtFront(
                from: cursor.frontStart,
                due(now + second * 1_000_000, now: now + second * 1_000_000 + 1))
        }
        #expect(cursor.ranges.count <= 9)
        #expect(cursor.ranges.map(\.start).min() == .beginning)
    }

    /// Dead entries, which no look counts: a day's worth, of which a second takes as long as it takes.
    @Test func `a look that takes too long is cut into slices of time, the youngest first`() {
        var cursor = DueCursor()
        cursor.lookFailed(atFront: true)
        #expect(cursor.frontStart.time == .max && !cursor.isCaughtUp)
        cursor.lookedAtFront(from: cursor.frontStart, due(now: now))
        #expect(cursor.frontStart == .from(now))
        let perSecond = 0.005
        var covered = now
        var looks = 0
        while let range = cursor.next, looks < 10_000 {
            #expect(range.end == covered)
            let seconds = Double(range.end - max(range.start.time, now - 86_400_000_000)) / 1e6
            let took = max(0, seconds) * perSecond
            #expect(took <= 0.6, "\(took)")
            covered = range.start.time
            cursor.looked(at: range, due(now: now), took: took)
            looks += 1
        }
        #expect(cursor.isCaughtUp && covered == .min)
        #expect(looks < 86_400 / 15, "\(looks)")
    }

    @Test func `a slice that is cut is looked at to its end before an older one`() {
        var cursor = begun()
        cursor.rescan()
        cursor.lookFailed(atFront: false)
        let first = cursor.next!
        #expect(first == DueCursor.Range(start: .from(now - 1_000_000), end: now, isNews: true))
        cursor.looked(at: first, due(now - 400_000, now: now), took: 0.1)
        #expect(
            cursor.next
                == DueCursor.Range(
                    start: DuePosition(time: now - 400_000, user: 7), end: now, isNews: true))
        cursor.looked(at: cursor.next!, due(now: now), took: 0.1)
        #expect(cursor.next?.end == now - 1_000_000)
    }
}

@Suite("The tenants of whom something is due")
struct TenantBacklogTests {
    private func found(_ lane: Lane, _ time: Int64, _ count: Int? = 1) -> DueTenants.Found {
        DueTenants.Found(
            tenant: 1, lane: lane, count: count, first: DuePosition(time: time, user: 5))
    }

    private func jobs(_ lane: Lane, _ times: Int64...) -> [(lane: Lane, position: DuePosition)] {
        times.map { (lane, DuePosition(time: $0, user: 5)) }
    }

    private func part(_ backlog: TenantBacklog, _ share: Int) -> ClaimRequest.Part {
        ClaimRequest.Part(
            tenant: 1, share: share, newShare: 1, floors: backlog.tenants[1] ?? .init())
    }

    /// As when a claim is given back, or a tenant goes on, while another claim is under way.
    @Test func `a floor that was lowered during a claim is not raised by its answer`() {
        var backlog = TenantBacklog()
        backlog.add([found(.due, 100, 2)])
        let part = part(backlog, 2)
        backlog.add(1, from: 50)
        let isEmpty = backlog.take(jobs(.due, 100, 110), of: part, share: 2)
        #expect(!isEmpty && backlog.tenants[1]?.due?.position == .from(50))
        #expect(backlog.count(of: 1) == .max)
    }

    @Test func `a claim that was cut raises the floor of the lane in which it stopped`() {
        var backlog = TenantBacklog()
        backlog.add([found(.asked, 50, nil), found(.due, 10, nil), found(.new, 5, nil)])
        // One asked job and two due ones, and it was to be three.
        let isEmpty = backlog.take(
            jobs(.asked, 50) + jobs(.due, 10, 20), of: part(backlog, 3), share: 3)
        #expect(!isEmpty)
        #expect(backlog.tenants[1]?.asked == nil)
        #expect(backlog.tenants[1]?.due?.position == DuePosition(time: 20, user: 5))
        #expect(backlog.tenants[1]?.new?.position == DuePosition(time: 5, user: 5))
        // An older one comes back.
        backlog.add([found(.due, 12, nil)])
        #expect(backlog.tenants[1]?.due?.position == DuePosition(time: 12, user: 5))
    }

    @Test func `a claim that got less than its share has come to the end of every lane`() {
        var backlog = TenantBacklog()
        backlog.add([found(.due, 10, nil), found(.new, 5, nil)])
        let isCutEmpty = backlog.take(
            jobs(.due, 10) + jobs(.new, 5), of: part(backlog, 3), share: 3)
        #expect(!isCutEmpty)
        #expect(backlog.tenants[1]?.due == nil)
        #expect(backlog.tenants[1]?.new?.position == DuePosition(time: 5, user: 5))
        let isEmpty = backlog.take([], of: part(backlog, 3), share: 3)
        #expect(isEmpty)
        #expect(backlog.isEmpty)
    }

    /// A job that was asked for between the look and the claim is taken in the place of one that was counted.
    @Test func `a tenant of which more was taken than was counted is not forgotten`() {
        var backlog = TenantBacklog()
        backlog.add([found(.asked, 50, 1), found(.due, 10, 1)])
        var isEmpty = backlog.take(jobs(.asked, 50, 60), of: part(backlog, 2), share: 2)
        #expect(!isEmpty && backlog.tenants[1]?.due?.position == DuePosition(time: 10, user: 5))
        // The clock does it too: the first of the lane was not there when it was looked at.
        backlog = TenantBacklog()
        backlog.add([found(.due, 10, 1), found(.new, 5, 2)])
        isEmpty = backlog.take(
            jobs(.due, 10, 11) + jobs(.new, 5), of: part(backlog, 3), share: 3)
        #expect(!isEmpty && backlog.tenants[1]?.new != nil)
    }

    @Test func `what is known to have been all of a tenant is not asked for again`() {
        var backlog = TenantBacklog()
        backlog.add([found(.due, 10, 2)])
        #expect(backlog.count(of: 1) == 2)
        let isEmpty = backlog.take(jobs(.due, 10, 11), of: part(backlog, 2), share: 2)
        #expect(isEmpty)
        #expect(backlog.isEmpty)
    }
}

@Suite("A look at what is due tenant by tenant")
struct TenantScanTests {
    @Test(arguments: [0.0, 0.5, 0.9])
    func `it comes round to every tenant, wherever it began`(_ part: Double) {
        var scan = TenantScan(begunAt: 7, from: part, of: 1000)
        var asked: Set<Int64> = []
        for _ in 0..<50 where !scan.isOver {
            let ids = ((scan.last + 1)...(scan.last + Int64(scan.count))).filter { $0 <= 1000 }
            asked.formUnion(ids)
            scan.asked(upTo: ids.last, isCut: ids.count == scan.count)
        }
        #expect(scan.isOver && asked.count == 1000 && !scan.hasSkipped)
    }

    @Test func `a tenant that takes too long is left out, alone`() {
        let tenants = (1...500 as ClosedRange<Int64>).map { $0 * 10 }
        var scan = TenantScan(begunAt: 7, from: 0, of: 5000)
        var asked: Set<Int64> = []
        for _ in 0..<1000 where !scan.isOver {
            // Numbers have gaps.
            let ids = tenants.filter { $0 > scan.last }.prefix(scan.count)
            if scan.isStuck {
                scan.skip(ids.first)
            } else if ids.contains(2500) {
                scan.failed()
            } else {
                asked.formUnion(ids)
                scan.asked(upTo: ids.last, isCut: ids.count == scan.count)
            }
        }
        #expect(scan.isOver && scan.hasSkipped && asked.count == 499)
    }
}
