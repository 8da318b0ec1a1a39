import JobQueue
import Testing

@testable import Claiming

@Suite("What is heard while a statement is under way")
struct HeardMeanwhileTests {
    private func look(_ state: inout ClaimState, _ found: [DueTenants.Found]) {
        let due = DueTenants(found: found, reached: .end, isCut: false, now: 1000)
        state.lookedAtFront(from: .beginning, due, took: [], at: 0)
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
        state.heard(news, at: 0.002)
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
        state.heard(Announcement(since: 500, tenant: 1), at: 0)
        look(&state, [])
        let paused = RemainingCapacity(tenant: 1, room: 0, state: .paused)
        try claim(
            &state, ClaimReply(jobs: [], restricted: [paused]),
            hearing: Announcement(since: 500, tenant: 1))
        #expect(state.backlog.tenants[1]?.due?.position == .from(500))
    }

    @Test func `what is heard during a worker's first look is looked at`() {
        var state = ClaimState(share: FairShare(capacity: 8))
        _ = state.send(8, ClaimState.Call(), at: 0)
        state.heard(Announcement(since: 100, tenant: nil), at: 0.1)
        state.lookedAtFront(
            from: .beginning,
            DueTenants(found: [], reached: .end, isCut: false, now: 60_000_000), took: [], at: 0.2)
        state.answered(at: 0.2)
        #expect(state.isBehind && state.cursor.next?.start == .from(100))
    }
}
