import JobQueue
import Testing

@testable import Claiming

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
