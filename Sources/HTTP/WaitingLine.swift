/// Transfers that wait for a free slot, first come first served.
struct WaitingLine {
    private var line: [Transfer?] = []
    private var head = 0

    /// Whether nobody waits; those that ended meanwhile may still count as waiting.
    var isEmpty: Bool { head == line.count }

    mutating func append(_ transfer: Transfer) { line.append(transfer) }

    /// Takes the first that is still waiting; cancelled and expired ones fall out here.
    mutating func popFirst() -> Transfer? {
        while head < line.count {
            let transfer = line[head]
            // A transfer takes its whole body along: none may stay here after its turn.
            line[head] = nil
            head += 1
            compact()
            if let transfer, case .waiting = transfer.state { return transfer }
        }
        return nil
    }

    /// Frees the places in front once they are the larger half, so that each is moved at most once.
    private mutating func compact() {
        guard head > 64, head * 2 > line.count else { return }
        line.removeFirst(head)
        head = 0
    }
}
