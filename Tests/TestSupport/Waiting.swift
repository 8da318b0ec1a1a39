/// The longest that a test waits for what must come.
///
/// It only turns a hang into a failure, so it is far above what a machine with other work needs. A test that must show
/// that something ends early lets the other way last longer than this.
public let hangLimit = Duration.seconds(300)

/// What a test waited for in vain.
public struct NeverHappened: Error, CustomStringConvertible {
    /// What did not happen, and which line waited.
    public let description: String
}

/// Lets an outage last so long.
///
/// Its length is what the test is about, and a longer one changes no result.
public func outageLasts(_ span: Duration) async throws {
    try await Task.sleep(for: span, clock: .continuous)
}

/// Looks every 10 ms until the condition holds; throws after `hangLimit`, and what the condition throws.
public func eventually(
    _ what: String, file: StaticString = #fileID, line: UInt = #line,
    _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + hangLimit
    while try await !condition() {
        guard .now < end else {
            throw NeverHappened(description: "\(file):\(line): never within \(hangLimit): \(what)")
        }
        try await Task.sleep(for: .milliseconds(10), clock: .continuous)
    }
}

/// `eventually` for a test that blocks a thread of its own, such as a session's.
public func eventuallyBlocking(
    _ what: String, file: StaticString = #fileID, line: UInt = #line,
    _ condition: () throws -> Bool
) throws {
    let end = ContinuousClock.now + hangLimit
    while try !condition() {
        guard .now < end else {
            throw NeverHappened(description: "\(file):\(line): never within \(hangLimit): \(what)")
        }
    }
}
