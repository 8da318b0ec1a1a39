import JobFiles
import JobQueue

extension JobFile {
    /// What its runs can make use of.
    var needs: RunNeeds {
        var needs: RunNeeds = []
        if entities.contains(where: \.isEnabled) { needs.insert(.checkpoints) }
        if !before.isEmpty || !after.isEmpty || !calls.isEmpty { needs.insert(.calls) }
        if mayUseSecrets { needs.insert(.secrets) }
        return needs
    }

    /// Requests that a run which finds nothing new sends: its budget is taken with the batch's.
    var leastRequests: Int { before.count + entities.count(where: \.isEnabled) }

    /// Its runs may send something.
    var asksItsSource: Bool { leastRequests + after.count > 0 }
}
