/// What a user's source asks for before it answers.
enum Credential {
    case none
    case basic(name: String, password: String)
    case bearer(String)
    case header(name: String, value: String)
    case query(name: String, value: String)

    func admits(_ request: Request) -> Bool {
        switch self {
        case .none: true
        case .basic(let name, let password):
            request.header("authorization") == "Basic " + Base64.encode("\(name):\(password)")
        case .bearer(let token): request.header("authorization") == "Bearer \(token)"
        case .header(let name, let value): request.header(name) == value
        case .query(let name, let value): request.query(name) == value
        }
    }

    static func parse(_ command: Command) throws(BadRequest) -> Credential {
        switch try command.needed("type") {
        case "none": return .none
        case "basic":
            return .basic(
                name: try command.needed("name"), password: try command.needed("password"))
        case "bearer": return .bearer(try command.needed("token"))
        case "header":
            return .header(name: try command.needed("name"), value: try command.needed("value"))
        case "query":
            return .query(name: try command.needed("name"), value: try command.needed("value"))
        default: throw BadRequest("'type' must be none, basic, bearer, header or query")
        }
    }
}
