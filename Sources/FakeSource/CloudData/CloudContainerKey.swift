/// Names a container in one environment.
struct CloudContainerKey: Hashable {
    let name: String
    let environment: String

    static let environments = ["development", "production"]

    /// The keys by which a command names a container.
    static let commandKeys = ["container", "environment"]

    /// Its schema is not made by writes.
    var isProduction: Bool { environment == "production" }

    var text: String { "\(name)/\(environment)" }

    /// The container a command names; production unless told.
    init(_ command: Command) throws(BadRequest) {
        try self.init(command.needed("container"), in: command.string("environment"))
    }

    /// A container by its name; production unless told.
    init(_ name: String, in environment: String?) throws(BadRequest) {
        let environment = environment ?? "production"
        guard CloudContainerKey.environments.contains(environment) else {
            throw BadRequest("'environment' must be development or production")
        }
        self.init(name: name, environment: environment)
    }

    init(name: String, environment: String) {
        self.name = name
        self.environment = environment
    }
}
