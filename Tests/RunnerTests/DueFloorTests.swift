import Queue
import Testing

@testable import Runner

@Suite struct DueFloorTests {
    private let second: Int64 = 1_000_000

    @Test func `a claim that left nothing behind raises the floor to shortly before itself`() {
        let floor = DueFloor()
        #expect(floor.ticket().since == .min)
        floor.note(WaitingJobs(since: 100 * second, tenants: [:]), by: floor.ticket())
        #expect(floor.ticket().since == 99_500_000)
        // A reply that comes late does not take it back.
        floor.note(WaitingJobs(since: 90 * second, tenants: [:]), by: floor.ticket())
        #expect(floor.ticket().since == 99_500_000)
    }

    @Test func `a tenant that did not get all it has due keeps a floor of its own`() {
        let floor = DueFloor()
        floor.note(WaitingJobs(since: 100 * second, tenants: [7: 40 * second]), by: floor.ticket())
        #expect(floor.ticket().tenants == [7: 40 * second])
        floor.note(WaitingJobs(since: 101 * second, tenants: [:]), by: floor.ticket())
        #expect(floor.ticket().tenants == [:])
    }

    @Test func `what becomes due while a claim is under way is not passed over by its reply`() {
        let floor = DueFloor()
        floor.note(WaitingJobs(since: 100 * second, tenants: [7: 50 * second]), by: floor.ticket())
        let ticket = floor.ticket()
        floor.lower(to: 99 * second)
        floor.note(WaitingJobs(since: 110 * second, tenants: [:]), by: ticket)
        #expect(floor.ticket().since == 99 * second)
        floor.lower(to: nil)
        #expect(floor.ticket().since == .min)
        #expect(floor.ticket().tenants == [7: .min])
    }

    @Test func `with more backlogged tenants than a claim should name the floor stays`() {
        let floor = DueFloor()
        let many = Dictionary(uniqueKeysWithValues: (0..<1001).map { (Int64($0), second) })
        floor.note(WaitingJobs(since: 100 * second, tenants: many), by: floor.ticket())
        #expect(floor.ticket().since == .min)
    }
}
