extension CloudFixture {
    /// The apps, each with its container and the place of its records.
    enum App: String, CaseIterable {
        case sportstime, snapchef, metube, luego, popcorn

        var container: String {
            switch self {
            case .sportstime: "iCloud.com.example.sportstime"
            case .snapchef: "iCloud.com.example.snapchef"
            case .metube: "iCloud.com.metube.app"
            case .luego: "iCloud.com.example.luego"
            case .popcorn: "iCloud.uk.co.adam-young.Popcorn"
            }
        }

        var isPrivate: Bool { self == .metube || self == .luego || self == .popcorn }

        var zone: String {
            switch self {
            case .metube: "WatchedStatusZone"
            case .popcorn: "com.apple.coredata.cloudkit.zone"
            default: CloudZoneID.defaultName
            }
        }

        /// What is to be written, in order.
        func fills(_ command: Command, _ users: [String]) throws(BadRequest) -> [Fill] {
            switch self {
            case .sportstime: return try SportsTime(command).fills
            case .snapchef: return try fills(command, users, 60, App.recipes)
            case .metube: return try fills(command, users, 300, App.statuses)
            case .luego: return try fills(command, users, 120, App.articles)
            case .popcorn: return try fills(command, users, 80, App.movies)
            }
        }

        private func fills(
            _ command: Command, _ users: [String], _ usual: Int,
            _ make: (String, Sizes) -> [Fill]
        ) throws(BadRequest) -> [Fill] {
            let sizes = Sizes(
                records: try command.int("records", in: 0...1_000_000) ?? usual,
                duplicates: try command.int("duplicates", in: 0...1_000_000) ?? 5,
                broken: try command.int("broken", in: 0...1_000_000) ?? 2)
            return users.flatMap { make($0, sizes) }
        }
    }

    struct Sizes {
        let records: Int
        /// More records with the business key of an earlier one.
        let duplicates: Int
        /// More records without a required field.
        let broken: Int

        var all: Int { records + duplicates + broken }

        /// The number whose business key a record has.
        func key(_ number: Int) -> Int {
            number < records || records == 0 ? number : (number - records) % records
        }

        func isBroken(_ number: Int) -> Bool { number >= records + duplicates }
    }
}

extension CloudFixture.App {
    private static let begin = CloudFixture.begin

    /// In the public database, told apart by their owner; `broken` ones have no id.
    fileprivate static func recipes(
        _ user: String, _ sizes: CloudFixture.Sizes
    ) -> [CloudFixture.Fill] {
        let count = sizes.records + sizes.broken
        return [
            CloudFixture.Fill(user: nil, type: "Recipe", count: count) { number in
                var fields: [String: CloudField] = [
                    "ownerID": .text(user), "title": .text("Recipe \(number) of \(user)"),
                    "createdAt": .time(begin - Milliseconds(number) * 60_000),
                    "servings": .int(number % 6 + 1),
                    "ingredients": CloudField(
                        "STRING_LIST", .array([.string("salt"), .string("item \(number)")])),
                ]
                if number < sizes.records { fields["id"] = .text("\(user)-recipe-\(number)") }
                return ("recipe_\(user)_\(number)", fields)
            }
        ]
    }

    /// One status a video; `broken` ones have a status nobody knows.
    fileprivate static func statuses(
        _ user: String, _ sizes: CloudFixture.Sizes
    ) -> [CloudFixture.Fill] {
        let words = ["unwatched", "watched", "skipped", "unknown"]
        return [
            CloudFixture.Fill(
                user: user, type: "WatchedStatus", count: sizes.records + sizes.broken
            ) { number in
                let name = "vid_\(padded(Int64(number), 5))"
                let isBroken = number >= sizes.records
                return (
                    name,
                    [
                        "videoId": .text(name),
                        "status": .text(isBroken ? "half-watched" : words[number % words.count]),
                        "lastModified": .time(begin + Milliseconds(number) * 1000),
                        "playbackPosition": .double(Double(number % 90) + 0.5),
                    ]
                )
            }
        ]
    }

    /// In the default zone; the same address may have several records, some without an address.
    fileprivate static func articles(
        _ user: String, _ sizes: CloudFixture.Sizes
    ) -> [CloudFixture.Fill] {
        [
            CloudFixture.Fill(user: user, type: "Article", count: sizes.all) { number in
                var fields: [String: CloudField] = [
                    "title": .text("Article \(number)"),
                    "savedDate": .time(begin + Milliseconds(number) * 1000),
                    "isFavorite": .int(number % 3 == 0 ? 1 : 0),
                    "isArchived": .int(number % 4 == 0 ? 1 : 0),
                    "readPosition": .double(Double(number % 10) / 10),
                ]
                if !sizes.isBroken(number) {
                    fields["url"] = .text("https://example.org/articles/\(sizes.key(number))")
                }
                if number % 20 == 19 { fields["deletedAt"] = .time(begin + 86_400_000) }
                return ("article_\(number)", fields)
            }
        ]
    }

    /// As Core Data writes them: random names, prefixed keys, other types beside them.
    fileprivate static func movies(
        _ user: String, _ sizes: CloudFixture.Sizes
    ) -> [CloudFixture.Fill] {
        let key = Catalogue.key(seed: 0, user: user)
        let movies = CloudFixture.Fill(
            user: user, type: "CD_MoviesWatchlistMovieEntity", count: sizes.all
        ) { number in
            var fields: [String: CloudField] = [
                "CD_entityName": .text("MoviesWatchlistMovieEntity"),
                "CD_createdAt": .time(begin + Milliseconds(number) * 1000),
            ]
            if !sizes.isBroken(number) { fields["CD_movieID"] = .int(1000 + sizes.key(number)) }
            return (CloudDatabase.uuid(key, number), fields)
        }
        let links = CloudFixture.Fill(user: user, type: "CDMR", count: 4) { number in
            (
                CloudDatabase.uuid(key, 1_000_000 + number),
                [
                    "CD_entityNames": .text("MoviesWatchlistMovieEntity:GenreEntity"),
                    "CD_recordNames": .text("a\(number):b\(number)"),
                    "CD_relationships": .text("genres:movies"),
                ]
            )
        }
        let genres = CloudFixture.Fill(user: user, type: "CD_GenreEntity", count: 3) { number in
            (
                CloudDatabase.uuid(key, 2_000_000 + number),
                ["CD_entityName": .text("GenreEntity"), "CD_name": .text("Genre \(number)")]
            )
        }
        return [movies, links, genres]
    }

    // MARK: Schemas

    /// The fields' types; everything may be filtered and sorted.
    func addSchema(to container: CloudContainer) {
        for (type, fields) in schema {
            container.schema[type] = CloudType(
                fields: fields.mapValues { CloudType.Attributes(type: $0) })
        }
    }

    private var schema: [String: [String: String]] {
        switch self {
        case .sportstime: CloudFixture.SportsTime.schema
        case .snapchef:
            [
                "Recipe": [
                    "id": "STRING", "ownerID": "STRING", "title": "STRING",
                    "createdAt": "TIMESTAMP", "servings": "INT64", "ingredients": "STRING_LIST",
                ]
            ]
        case .metube:
            [
                "WatchedStatus": [
                    "videoId": "STRING", "status": "STRING", "lastModified": "TIMESTAMP",
                    "playbackPosition": "DOUBLE",
                ]
            ]
        case .luego:
            [
                "Article": [
                    "url": "STRING", "title": "STRING", "savedDate": "TIMESTAMP",
                    "isFavorite": "INT64", "isArchived": "INT64", "readPosition": "DOUBLE",
                    "deletedAt": "TIMESTAMP",
                ]
            ]
        case .popcorn: [:]
        }
    }
}
