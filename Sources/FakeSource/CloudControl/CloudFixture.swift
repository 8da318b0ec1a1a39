/// The data of the apps that sync with CloudKit, in any size.
///
/// All of it follows from the sizes: names, values and times are the same in every run.
struct CloudFixture {
    let cloudKit: CloudKit

    static let sizes = [
        "users", "records", "duplicates", "broken", "stadiums", "league_structures", "teams",
        "team_aliases", "stadium_aliases", "sports", "searches",
    ]

    func answer(_ request: Request) throws(BadRequest) -> Answer {
        let command = try Command(
            request.body,
            knows: CloudContainerKey.commandKeys + [
                "name", "prefix", "api_token", "plain_names", "assets_above",
            ]
                + CloudFixture.sizes)
        let name = try command.needed("name")
        guard let app = FixtureApp(rawValue: name) else {
            let known = FixtureApp.allCases.map(\.rawValue).joined(separator: ", ")
            throw BadRequest("'name' must be one of \(known)")
        }
        let key = try CloudContainerKey(
            command.string("container") ?? app.container, in: command.string("environment"))
        let container = cloudKit.container(key)
        let apiToken = try command.string("api_token") ?? "api-token"
        container.apiTokens.insert(apiToken)
        if let sizes = try command.sizes("assets_above") {
            container.settings.assetsAbove = sizes
        }
        var users: [String] = []
        if app != .sportstime {
            users = numberedNames(
                try command.string("prefix") ?? "user-", from: 1,
                count: try command.int("users", in: 1...100_000) ?? 3)
        }
        if app.isPrivate {
            for user in users { container.sessions.add("token-\(user)", of: user) }
        }
        app.addSchema(to: container)
        var made = 0
        for fill in try app.fills(command, users) {
            made += write(fill, app, container)
        }
        return .json(
            200,
            JSONText.object { json in
                json.field("container", key.name)
                json.field("environment", key.environment)
                json.field("api_token", apiToken)
                json.field("records", made)
                json.array("users", of: users) { $1.string($0) }
            })
    }

    private func write(_ fill: FixtureRecords, _ app: FixtureApp, _ container: CloudContainer)
        -> Int
    {
        let kind: CloudPath.Database = fill.user == nil ? .public : .private
        let database = container.database(kind, of: fill.user ?? "")
        let zone = database.createZone(app.zone)
        for number in 0..<fill.count {
            let (name, fields) = fill.make(number)
            let stamp = CloudRecord.Stamp(
                time: FixtureRecords.begin + Milliseconds(zone.ordered.count) * 1000,
                user: fill.user ?? "_creator", device: "1")
            database.write(
                CloudDatabase.Write(
                    zone: zone, name: name, type: fill.type,
                    fields: container.saved(fields), stamp: stamp, writtenAt: 0))
        }
        return fill.count
    }
}
