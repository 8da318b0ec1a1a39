import JSON
import Serving

extension ServedResponse {
    /// What `/readyz` answers: 200 when there is no reason why not, else 503 with them; beside it what does not work of
    /// what would, where the one who answers can know.
    init(readiness reasons: [String], lacking: [String]? = nil) {
        var members = [
            JSONMember("ready", .bool(reasons.isEmpty)),
            JSONMember("reasons", .array(reasons.map { .string($0) })),
        ]
        if let lacking {
            members.append(JSONMember("lacking", .array(lacking.map { .string($0) })))
        }
        self.init(
            reasons.isEmpty ? 200 : 503, JSONValue.object(members).text + "\n",
            type: "application/json")
    }
}
