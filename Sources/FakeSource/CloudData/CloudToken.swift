/// An opaque place in a feed, in the changes of a database or in a query's results.
///
/// Nothing is remembered of it: the text holds the position, so that any token can be replayed.
struct CloudToken {
    /// The beginning of the text, by which a token of another kind is told from a broken one.
    enum Kind: String {
        case zone = "AQZ"
        case database = "AQD"
        case marker = "AQQ"
    }

    let kind: Kind
    /// What it belongs to: a zone's incarnation, a database, or a query's fingerprint.
    let scope: String
    /// Tokens of an older epoch have expired.
    let epoch: Int
    /// Tells tokens of one position apart, for faults that never get on.
    var nonce = 0
    var position = 0
    /// The sort keys of a query's last record.
    var keys: [CloudKey] = []

    var text: String {
        let parts: [JSONValue] = [
            .string(scope), .int(Int64(epoch)), .int(Int64(nonce)), .int(Int64(position)),
            .array(keys.map(\.json)),
        ]
        let payload = JSONValue.array(parts).canonical
        let sum = String(Catalogue.key(seed: 0, user: payload) % 46_656, radix: 36)
        return kind.rawValue + Base64.encode(payload + "~" + sum)
    }

    static func read(_ text: String, as kind: Kind) -> Result<CloudToken, TokenFault> {
        guard text.hasPrefix(kind.rawValue) else { return .failure(.unknownType) }
        guard let decoded = Base64.decode(String(text.dropFirst(kind.rawValue.count))),
            let mark = decoded.lastIndex(of: "~")
        else { return .failure(.badFormat) }
        let payload = decoded[..<mark]
        guard let parts = (try? JSONValue.parse(Array(payload.utf8)))?.elements, parts.count == 5,
            let scope = parts[0].text, let epoch = parts[1].whole, let nonce = parts[2].whole,
            let position = parts[3].whole, let keys = parts[4].elements
        else { return .failure(.badFormat) }
        let token = CloudToken(
            kind: kind, scope: scope, epoch: Int(epoch), nonce: Int(nonce),
            position: Int(position), keys: keys.map(CloudKey.init(json:)))
        return token.text == text ? .success(token) : .failure(.badFormat)
    }

    enum TokenFault: Error {
        case unknownType, badFormat

        /// The reasons seen for a garbage token and a truncated one.
        var error: CloudError {
            switch self {
            case .unknownType: .badRequest("Unknown sync continuation type")
            case .badFormat: .badRequest("Invalid continuation format")
            }
        }
    }
}

/// A value that can be compared with others: in a filter, a sort, or a marker.
enum CloudKey: Comparable {
    case missing
    case number(Double)
    case text(String)

    var json: JSONValue {
        switch self {
        case .missing: .null
        case .number(let number): .number(number)
        case .text(let text): .string(text)
        }
    }

    init(json: JSONValue) {
        if let number = json.double {
            self = .number(number)
        } else {
            self = json.text.map { .text($0) } ?? .missing
        }
    }
}
