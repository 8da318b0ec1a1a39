import Testing

@testable import HTTP

@Suite struct TransferQueueTests {
    @Test func `a transfer that has had its turn is let go, and its page with it`() {
        var queue = TransferQueue()
        for _ in 0..<10 {
            let transfer = Transfer(request: HTTPRequest(url: "http://a"), deadline: .now)
            transfer.state = .waiting
            queue.append(transfer)
        }
        weak let served = queue.popFirst()
        #expect(served == nil)
        #expect(!queue.isEmpty)
    }
}
