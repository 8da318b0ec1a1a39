import JobQueue
import Testing

@testable import Claiming

@Suite("What is heard while a statement is under way")
struct HeardMeanwhileTests {
    private func look(_ state: inout ClaimState, _ found: [DueTenants.Found]) {
        let due = DueTenants(found: found, reached: .end, isCut: false, now: 1000)
        state.lookedAtFront(due, took: [], in: 0, at: 0)
    }

    private func found(_ lane: Lane, _ time: Int64, _ count: Int) -> DueTenants.Found {
        DueTenants.Found(
            tenant: 1, lane: lane, count: count, first: DuePosition(time: time, user: 5))
    }

    /// A claim of what one look has found, in the middle of which something is heard.
    private func claim(
        _ state: inout ClaimState, _ reply: ClaimReply, hearing news: Announcement
    ) throws {
        var call = ClaimState.Call()
        call.hasLookedAtFront = true
        guard case .claim(let request)? = state.send(8, call, at: 0.001) else {
            throw Unexpected()
        }
        state.hear(.announced(news), at: 0.002)
        state.claimed(reply, of: request, at: 0.003)
        state.answered(at: 0.003)
    }

    private struct Unexpected: Error {}

    @Test func `what is heard of a tenant while it is claimed from is not undone by the answer`()
        throws
    {
        var state = ClaimState(share: FairShare(capacity: 8))
        look(&state, [found(.due, 100, 2)])
        // It lies behind the floor, and the claim's snapshot knows nothing of it.
        try claim(&state, ClaimReply(), hearing: Announcement(since: 500, tenant: 1))
        #expect(state.backlog.tenants[1]?.due?.position == .from(500))
    }

    @Test func `a tenant that goes on while a claim finds it paused is not forgotten`() throws {
        var state = ClaimState(share: FairShare(capacity: 8))
        state.hear(.announced(Announcement(since: 500, tenant: 1)), at: 0)
        look(&state, [])
        let paused = RemainingCapacity(tenant: 1, room: 0, state: .paused)
        try claim(
            &state, ClaimReply(jobs: [], restricted: [paused]),
            hearing: Announcement(since: 500, tenant: 1))
        #expect(state.backlog.tenants[1]?.due?.position == .from(500))
    }

    /// A look that was under way does not know of it.
    @Test(arguments: [
        ClaimState.News.announced(Announcement(since: 100, tenant: nil)), .notified(dueFrom: 100),
        .rescan, .all,
    ])
    func `what is heard during a look is looked at by the next`(_ news: ClaimState.News) {
        let due = DueTenants(found: [], reached: .end, isCut: false, now: 60_000_000)
        for isFirst in [true, false] {
            var state = ClaimState(share: FairShare(capacity: 8))
            if !isFirst { state.lookedAtFront(due, took: [], in: 0, at: 0) }
            _ = state.send(8, ClaimState.Call(), at: 0)
            state.hear(news, at: 0.1)
            state.lookedAtFront(due, took: [], in: 0.1, at: 0.2)
            state.answered(at: 0.2)
            #expect(state.front.next.start <= .from(100), "\(news) \(isFirst)")
        }
    }
}
