import JobFiles
import JobQueue

extension JobFile {
    /// What its runs can make use of.
    var needs: RunNeeds {
        RunNeeds(
            checkpoints: entities.contains(where: \.isEnabled),
            calls: !before.isEmpty || !after.isEmpty || !calls.isEmpty, secrets: secretNames)
    }

    /// Requests that a run which finds nothing new sends: its budget is taken with the batch's.
    var leastRequests: Int { before.count + entities.count(where: \.isEnabled) }

    /// Its runs may send something.
    var asksItsSource: Bool { leastRequests + after.count > 0 }
}
