import JSON
import JobQueue
import Serving

/// The views that `serve` tells as JSON: of workers, tenants and sources, none of which names a user.
enum ServedView: String, CaseIterable {
    case waiting = "waiting_reasons"
    case workers = "worker_health"
    case shares = "tenant_shares"
    case sources = "blocked_sources"
    case alerts = "raised_alerts"
    case gauges

    /// The columns by which its rows are told apart, and in whose order they are told.
    private var place: [String] {
        switch self {
        case .waiting: ["reason", "tenant"]
        case .workers: ["worker_id"]
        case .shares: ["tenant"]
        case .sources: ["tenant", "source"]
        case .alerts: ["alert", "subject"]
        case .gauges: ["name", "labels"]
        }
    }

    private static let limitUsual = 100
    private static let limitMax = 1000

    /// `{"rows": […], "after": …}`: `after` continues behind the last row, and is null where there are no more.
    func answer(_ request: ServedRequest, _ queue: Queue) async throws -> ServedResponse {
        var limit = Self.limitUsual
        if let text = request.parameter("limit") {
            guard let number = Int(text), (1...Self.limitMax).contains(number) else {
                return ServedResponse(400, "limit: expected 1 to \(Self.limitMax)\n")
            }
            limit = number
        }
        var after: [String]?
        if let text = request.parameter("after") {
            after = Self.texts(text)
            guard after?.count == place.count else {
                return ServedResponse(400, "after: expected what the page before said\n")
            }
        }
        let rows = try await queue.page(
            of: rawValue, by: place, after: after, limit: limit + 1)
        let page = rows.prefix(limit)
        let next = rows.count > limit ? page.last?["place"]?.text : nil
        let told = page.map { row in
            JSONValue.object((row.members ?? []).filter { $0.name != "place" })
        }
        let body = JSONValue.object([
            JSONMember("rows", .array(told)),
            JSONMember("after", next.map { .string($0) } ?? .null),
        ])
        return ServedResponse(200, body.text + "\n", type: "application/json")
    }

    /// A JSON array of texts.
    private static func texts(_ text: String) -> [String]? {
        let value = (try? JSONDocument(parsing: Array(text.utf8)))?.root.value
        let texts = value?.elements?.compactMap(\.string)
        return texts?.count == value?.elements?.count ? texts : nil
    }
}
