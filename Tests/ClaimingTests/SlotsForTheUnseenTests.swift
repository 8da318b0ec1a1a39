import JobQueue
import Testing

@testable import Claiming

/// While more is due than was looked at, half of the slots are left to tenants that no look has met.
@Suite("Slots for tenants that no look has met")
struct SlotsForTheUnseenTests {
    /// A look that has met jobs of a tenant without number; it is cut off where `reached` is said.
    private func look(
        _ state: inout ClaimState, _ tenant: Int64, reached: Int64? = nil, now: Int64,
        at seconds: Double
    ) {
        let found = DueTenants.Found(
            tenant: tenant, lane: .due, count: nil, first: DuePosition(time: 100, user: 5))
        let due = DueTenants(
            found: [found],
            reached: reached.map { DuePosition(time: $0, user: 7) } ?? .from(now),
            isCut: reached != nil, now: now)
        state.lookedAtFront(due, took: [], in: 0, at: seconds)
    }

    /// The slots that the next claim may fill, of eight.
    private func limit(_ state: ClaimState, at now: Double) -> Int? {
        var (state, call) = (state, ClaimState.Call())
        (call.hasLookedAtFront, call.isLate) = (true, true)
        guard case .claim(let request)? = state.next(8, call, at: now) else { return nil }
        return request.limit
    }

    @Test(arguments: [false, true])
    func `of what is new one tenant gets half of them for two seconds, whoever is known already`(
        _ isKnown: Bool
    ) {
        var state = ClaimState(share: FairShare(capacity: 8))
        if isKnown { look(&state, 1, now: 1000, at: 0) }
        look(&state, 2, reached: 1500, now: 2000, at: 0.1)
        #expect(limit(state, at: 0.1) == 4)
        #expect(limit(state, at: 2.2) == 8)
    }

    @Test func `a look back over what was seen leaves none`() {
        var state = ClaimState(share: FairShare(capacity: 8))
        look(&state, 1, now: 10_000_000, at: 0)
        look(&state, 1, reached: 8_000_000, now: 11_000_000, at: 0.1)
        #expect(limit(state, at: 0.1) == 8)
    }
}
