import JSON
import Serving

extension ServedResponse {
    /// What `/readyz` answers: 200 when there is no reason why not, else 503 with them.
    init(readiness reasons: [String]) {
        let body = JSONValue.object([
            JSONMember("ready", .bool(reasons.isEmpty)),
            JSONMember("reasons", .array(reasons.map { .string($0) })),
        ])
        self.init(reasons.isEmpty ? 200 : 503, body.text + "\n", type: "application/json")
    }
}
