import Testing

@testable import HTTP

@Suite struct WaitingLineTests {
    @Test func `a transfer that has had its turn is let go, and its page with it`() {
        var line = WaitingLine()
        for _ in 0..<10 {
            let transfer = Transfer(request: HTTPRequest(url: "http://a"), deadline: .now)
            transfer.state = .waiting
            line.append(transfer)
        }
        weak let served = line.popFirst()
        #expect(served == nil)
        #expect(!line.isEmpty)
    }
}
