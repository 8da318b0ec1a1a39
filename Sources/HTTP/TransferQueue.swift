/// Transfers that wait for a free slot, first come first served.
struct TransferQueue {
    private var transfers: [Transfer?] = []
    private var head = 0

    /// Whether nobody waits; those that ended meanwhile may still count as waiting.
    var isEmpty: Bool { head == transfers.count }

    mutating func append(_ transfer: Transfer) { transfers.append(transfer) }

    /// Takes the first that is still waiting; cancelled and expired ones fall out here.
    mutating func popFirst() -> Transfer? {
        while head < transfers.count {
            let transfer = transfers[head]
            // A transfer takes its whole body along: none may stay here after its turn.
            transfers[head] = nil
            head += 1
            compact()
            if let transfer, case .waiting = transfer.state { return transfer }
        }
        return nil
    }

    /// Frees the places in front once they are the larger half, so that each is moved at most once.
    private mutating func compact() {
        guard head > 64, head * 2 > transfers.count else { return }
        transfers.removeFirst(head)
        head = 0
    }
}
