/// Seven types in a public database, referring to each other by canonical ids.
struct SportsFixture {
    private let games: Int
    private let stadiums: Int
    private let structures: Int
    private let teams: Int
    private let teamAliases: Int
    private let stadiumAliases: Int
    private let sports: Int
    /// So many more games and stadiums without their canonical id.
    private let broken: Int

    init(_ command: Command) throws(BadRequest) {
        let range = 0...1_000_000
        games = try command.int("records", in: range) ?? 5000
        stadiums = try command.int("stadiums", in: range) ?? 150
        structures = try command.int("league_structures", in: range) ?? 40
        teams = try command.int("teams", in: range) ?? 180
        teamAliases = try command.int("team_aliases", in: range) ?? 60
        stadiumAliases = try command.int("stadium_aliases", in: range) ?? 50
        sports = try command.int("sports", in: range) ?? 7
        broken = try command.int("broken", in: range) ?? 3
    }

    var fills: [FixtureRecords] {
        [
            fill("Stadium", stadiums + broken, stadium),
            fill("LeagueStructure", structures, structure),
            fill("Team", teams, team), fill("TeamAlias", teamAliases, teamAlias),
            fill("StadiumAlias", stadiumAliases, stadiumAlias),
            fill("Game", games + broken, game), fill("Sport", sports, sport),
        ]
    }

    private typealias Made = (String, [String: CloudField])

    private func fill(_ type: String, _ count: Int, _ make: @escaping (Int) -> Made)
        -> FixtureRecords
    {
        FixtureRecords(user: nil, type: type, count: count, make: make)
    }

    private func name(_ kind: String, _ number: Int, of count: Int) -> String {
        "\(kind)_\(padded(Int64(count == 0 ? 0 : number % count), 5))"
    }

    private func time(_ number: Int) -> CloudField {
        .time(FixtureRecords.begin + Milliseconds(number) * 1000)
    }

    private func stadium(_ number: Int) -> Made {
        let id = "stadium_\(padded(Int64(number), 5))"
        var fields: [String: CloudField] = [
            "name": .text("Stadium \(number)"), "city": .text("City \(number % 90)"),
            "state": .text("S\(number % 50)"), "capacity": .int(20_000 + number * 7),
            "location": CloudField(
                "LOCATION",
                .object([
                    "latitude": .number(40 + Double(number % 10) + 0.125),
                    "longitude": .number(-70 - Double(number % 40) - 0.0625),
                ])),
            "lastModified": time(number),
        ]
        if number < stadiums { fields["canonicalId"] = .text(id) }
        return (id, fields)
    }

    /// A league and its conferences and divisions; the first of each sport is the league.
    private func structure(_ number: Int) -> Made {
        let id = structureID(number)
        let count = max(1, sports)
        let league = number % count
        let isLeague = number < count
        var fields: [String: CloudField] = [
            "structureId": .text(id), "sport": .text(name("sport", number, of: sports)),
            "league": .text("L\(league)"), "name": .text("Structure \(number)"),
            "abbreviation": .text("ST\(number)"),
            "structureType": .text(isLeague ? "league" : "division"),
            "displayOrder": .int(number / count), "lastModified": time(number),
        ]
        if !isLeague { fields["parentId"] = .text(structureID(league)) }
        return (id, fields)
    }

    private func structureID(_ number: Int) -> String {
        "structure_\(padded(Int64(number), 5))"
    }

    private func team(_ number: Int) -> Made {
        let id = "team_\(padded(Int64(number), 5))"
        return (
            id,
            [
                "canonicalId": .text(id), "name": .text("Team \(number)"),
                "abbreviation": .text("T\(number)"), "city": .text("City \(number % 90)"),
                "sport": .text(name("sport", number, of: sports)),
                "primaryColor": .text("#\(padded(Int64(number), 6))"),
                "secondaryColor": .text("#FF\(padded(Int64(number), 4))"),
                "structureId": .text(structureID(structures == 0 ? 0 : number % structures)),
                "stadiumCanonicalId": .text(name("stadium", number, of: stadiums)),
            ]
        )
    }

    private func teamAlias(_ number: Int) -> Made {
        let id = "team_alias_\(padded(Int64(number), 5))"
        return (
            id,
            [
                "aliasId": .text(id), "lastModified": time(number),
                "aliasType": .text(number % 2 == 0 ? "name" : "abbreviation"),
                "aliasValue": .text("Former \(number)"),
                "teamCanonicalId": .text(name("team", number, of: teams)),
            ]
        )
    }

    private func stadiumAlias(_ number: Int) -> Made {
        let id = "stadium_alias_\(padded(Int64(number), 5))"
        return (
            id,
            [
                "aliasName": .text("Old stadium \(number)"), "lastModified": time(number),
                "stadiumCanonicalId": .text(name("stadium", number, of: stadiums)),
            ]
        )
    }

    private func game(_ number: Int) -> Made {
        let id = "game_\(padded(Int64(number), 6))"
        let day = Milliseconds(number % 365) * 86_400_000
        var fields: [String: CloudField] = [
            "homeTeamCanonicalId": .text(name("team", number, of: teams)),
            "awayTeamCanonicalId": .text(name("team", number * 7 + 1, of: teams)),
            "stadiumCanonicalId": .text(name("stadium", number, of: stadiums)),
            "dateTime": .time(FixtureRecords.begin + day + Milliseconds(number) * 1000),
            "sport": .text(name("sport", number, of: sports)),
            "season": .text("\(2024 + number % 3)"), "isPlayoff": .int(number % 9 == 0 ? 1 : 0),
        ]
        if number < games { fields["canonicalId"] = .text(id) }
        return (id, fields)
    }

    private func sport(_ number: Int) -> Made {
        let id = "sport_\(padded(Int64(number), 5))"
        return (
            id,
            [
                "sportId": .text(id), "name": .text("Sport \(number)"),
                "abbreviation": .text("SP\(number)"),
                "color": .text("#00\(padded(Int64(number), 4))"),
            ]
        )
    }

    /// The app asks for what is new by the time of the change or by `lastModified`, at first for everything, in no order.
    static let schema = [
        "Stadium": byChange([
            "canonicalId": "STRING", "name": "STRING", "city": "STRING", "state": "STRING",
            "capacity": "INT64", "location": "LOCATION", "lastModified": "TIMESTAMP",
        ]),
        "LeagueStructure": byField([
            "structureId": "STRING", "sport": "STRING", "league": "STRING", "name": "STRING",
            "abbreviation": "STRING", "structureType": "STRING", "parentId": "STRING",
            "displayOrder": "INT64", "lastModified": "TIMESTAMP",
        ]),
        "Team": byChange([
            "canonicalId": "STRING", "name": "STRING", "abbreviation": "STRING", "city": "STRING",
            "sport": "STRING", "primaryColor": "STRING", "secondaryColor": "STRING",
            "structureId": "STRING", "stadiumCanonicalId": "STRING",
        ]),
        "TeamAlias": byField([
            "aliasId": "STRING", "aliasType": "STRING", "aliasValue": "STRING",
            "teamCanonicalId": "STRING", "lastModified": "TIMESTAMP",
        ]),
        "StadiumAlias": byField([
            "aliasName": "STRING", "stadiumCanonicalId": "STRING", "lastModified": "TIMESTAMP",
        ]),
        "Game": byChange([
            "canonicalId": "STRING", "homeTeamCanonicalId": "STRING",
            "awayTeamCanonicalId": "STRING", "stadiumCanonicalId": "STRING",
            "dateTime": "TIMESTAMP", "sport": "STRING", "season": "STRING", "isPlayoff": "INT64",
        ]),
        "Sport": byChange([
            "sportId": "STRING", "name": "STRING", "abbreviation": "STRING", "color": "STRING",
        ]),
    ]

    private static func byChange(_ fields: [String: String]) -> CloudType {
        CloudType(fields, queryable: ["recordName", "modifiedTimestamp"])
    }

    private static func byField(_ fields: [String: String]) -> CloudType {
        CloudType(fields, queryable: ["recordName", "lastModified"])
    }
}
