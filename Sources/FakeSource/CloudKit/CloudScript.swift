/// A command that waits for requests: what another device does in the middle of a pass.
struct CloudScript {
    let user: String?
    let operation: String?
    /// This many more matching requests are answered first.
    var requests: Int
    let run: () -> Void

    func matches(_ trace: CloudTrace) -> Bool {
        (user == nil || user == trace.user) && (operation == nil || operation == trace.operation)
    }
}
