import Basics
import JSON
import JobFiles
import JobQueue

extension RunInputs {
    /// Stands for everything that decides which records a pass of `entity` is shown.
    ///
    /// That is the file's words, and the values that they stand for in this run. A chunk of a list has a checkpoint that is
    /// named after its items. A position of the checkpoint is worth something only where this is the same
    /// (docs/decisions/0047).
    func asked(for entity: Entity) -> Int64 {
        let question = entity.question
        let values =
            [String(question.hash), base ?? file.source.base]
            + question.attributes.map { job.attributes[$0]?.text ?? "" }
            + question.lists.map { lists[$0]?.hash ?? "" }
        return Int64(bitPattern: stableHashBits(JSONValue.array(values.map(JSONValue.string)).text))
    }
}
