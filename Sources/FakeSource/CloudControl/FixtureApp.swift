/// The apps, each with its container and the place of its records.
enum FixtureApp: String, CaseIterable {
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
        case .luego, .popcorn: "com.apple.coredata.cloudkit.zone"
        default: CloudZoneID.defaultName
        }
    }

    /// What is to be written, in order.
    func fills(_ command: Command, _ users: [String]) throws(BadRequest) -> [FixtureRecords] {
        switch self {
        case .sportstime: return try SportsFixture(command).fills
        case .snapchef: return try fills(command, users, 60, FixtureApp.recipes)
        case .metube: return try fills(command, users, 300, FixtureApp.statuses)
        case .luego: return try fills(command, users, 120, FixtureApp.articles)
        case .popcorn: return try fills(command, users, 80, FixtureApp.movies)
        }
    }

    private func fills(
        _ command: Command, _ users: [String], _ usual: Int,
        _ make: (String, FixtureSizes) -> [FixtureRecords]
    ) throws(BadRequest) -> [FixtureRecords] {
        let sizes = FixtureSizes(
            records: try command.int("records", in: 0...1_000_000) ?? usual,
            duplicates: try command.int("duplicates", in: 0...1_000_000) ?? 5,
            broken: try command.int("broken", in: 0...1_000_000) ?? 2,
            searches: try command.int("searches", in: 0...1_000_000) ?? 40,
            hasPlainNames: try command.bool("plain_names") ?? false)
        return users.flatMap { make($0, sizes) }
    }
}

extension FixtureApp {
    private static let begin = FixtureRecords.begin

    /// In the public database, told apart by their owner; `broken` ones have no id.
    fileprivate static func recipes(
        _ user: String, _ sizes: FixtureSizes
    ) -> [FixtureRecords] {
        let count = sizes.records + sizes.broken
        return [
            FixtureRecords(user: nil, type: "Recipe", count: count) { number in
                var fields: [String: CloudField] = [
                    "ownerID": .text(user), "title": .text("Recipe \(number) of \(user)"),
                    "createdAt": .time(begin - Milliseconds(number) * 60_000),
                    "servings": .int(number % 6 + 1),
                    "ingredients": CloudField(
                        "STRING_LIST", .array([.string("salt"), .string("item \(number)")])),
                ]
                let name = "recipe_\(user)_\(number)"
                if number < sizes.records { fields["id"] = .text(name) }
                return (name, fields)
            }
        ]
    }

    /// One status a video; `broken` ones have a status nobody knows.
    fileprivate static func statuses(
        _ user: String, _ sizes: FixtureSizes
    ) -> [FixtureRecords] {
        let words = ["unwatched", "watched", "skipped", "unknown"]
        return [
            FixtureRecords(
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

    /// As SwiftData mirrors them; the same address may have several records, some without an address.
    fileprivate static func articles(
        _ user: String, _ sizes: FixtureSizes
    ) -> [FixtureRecords] {
        let key = Catalogue.key(seed: 0, user: user)
        return [
            FixtureRecords(user: user, type: "CD_Article", count: sizes.all) { number in
                var fields: [String: CloudField] = [
                    "CD_entityName": .text("Article"),
                    "CD_id": .text(CloudDatabase.uuid(key, 3_000_000 + number)),
                    "CD_title": .text("Article \(number)"),
                    "CD_content": .text("What article \(number) says"),
                    "CD_author": .text("Author \(number % 9)"),
                    "CD_wordCount": .int(number * 3),
                    "CD_thumbnailURL": .text("https://example.org/thumbnails/\(number).jpg"),
                    "CD_publishedDate": .time(begin - Milliseconds(number) * 3_600_000),
                    "CD_savedDate": .time(begin + Milliseconds(number) * 1000),
                    "CD_isFavorite": .int(number % 3 == 0 ? 1 : 0),
                    "CD_isArchived": .int(number % 4 == 0 ? 1 : 0),
                    "CD_readPosition": .double(Double(number % 10) / 10),
                ]
                if !sizes.isBroken(number) {
                    fields["CD_url"] = .text("https://example.org/articles/\(sizes.key(number))")
                }
                if number % 20 == 19 { fields["CD_deletedAt"] = .time(begin + 86_400_000) }
                let name =
                    sizes.hasPlainNames
                    ? "article_\(number)" : CloudDatabase.uuid(key, number)
                return (name, fields)
            }
        ]
    }

    /// As Core Data writes them: random names, prefixed keys, other types beside them.
    fileprivate static func movies(
        _ user: String, _ sizes: FixtureSizes
    ) -> [FixtureRecords] {
        let key = Catalogue.key(seed: 0, user: user)
        let movies = FixtureRecords(
            user: user, type: "CD_MoviesWatchlistMovieEntity", count: sizes.all
        ) { number in
            var fields: [String: CloudField] = [
                "CD_entityName": .text("MoviesWatchlistMovieEntity"),
                "CD_createdAt": .time(begin + Milliseconds(number) * 1000),
            ]
            if !sizes.isBroken(number) { fields["CD_movieID"] = .int(1000 + sizes.key(number)) }
            return (CloudDatabase.uuid(key, number), fields)
        }
        let links = FixtureRecords(user: user, type: "CDMR", count: 4) { number in
            (
                CloudDatabase.uuid(key, 1_000_000 + number),
                [
                    "CD_entityNames": .text("MoviesWatchlistMovieEntity:GenreEntity"),
                    "CD_recordNames": .text("a\(number):b\(number)"),
                    "CD_relationships": .text("genres:movies"),
                ]
            )
        }
        let genres = FixtureRecords(user: user, type: "CD_GenreEntity", count: 3) { number in
            (
                CloudDatabase.uuid(key, 2_000_000 + number),
                ["CD_entityName": .text("GenreEntity"), "CD_name": .text("Genre \(number)")]
            )
        }
        let searches = FixtureRecords(
            user: user, type: "CD_SearchMediaSearchHistoryEntryEntity", count: sizes.searches
        ) { number in
            (
                CloudDatabase.uuid(key, 4_000_000 + number),
                [
                    "CD_entityName": .text("SearchMediaSearchHistoryEntryEntity"),
                    "CD_mediaID": .int(5000 + number),
                    "CD_mediaType": .text(["movie", "tvSeries", "person"][number % 3]),
                    "CD_timestamp": .time(begin + Milliseconds(number) * 60_000),
                ]
            )
        }
        return [movies, searches, links, genres]
    }
}
