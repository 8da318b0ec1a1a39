import JSON
import JobFile

extension JobFile {
    /// What `jobrunner.job_files` keeps; the verbs look up the names of entities in it.
    var storedForm: String {
        let entities = entities.map { entity in
            JSONValue.object([
                JSONMember("entity", .string(entity.name)),
                JSONMember("table", .string(entity.write.table)),
            ])
        }
        return JSONValue.object([
            JSONMember("job", .string(name)), JSONMember("entities", .array(entities)),
        ]).text
    }
}
