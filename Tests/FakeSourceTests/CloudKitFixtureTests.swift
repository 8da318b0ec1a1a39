import Foundation
import Testing

@testable import FakeSource

@Suite struct CloudKitFixtureTests {
    private func dump(_ client: Client, _ query: String) throws -> [[String: Any]] {
        try client.get("/_control/cloudkit/records?\(query)").items("records")
    }

    @Test func `F24 SportsTime has seven types, and some records without their id`() throws {
        try withSource { client in
            let made = try client.command("cloudkit/fixture", #"{"name":"sportstime"}"#).json()
            #expect(made["records"] as? Int == 5493)
            let all = try dump(client, "container=iCloud.com.example.sportstime")
            let types = Dictionary(grouping: all) { $0["recordType"] as? String ?? "" }
            #expect(
                types.mapValues(\.count) == [
                    "Game": 5003, "Stadium": 153, "LeagueStructure": 40, "Team": 180,
                    "TeamAlias": 60, "StadiumAlias": 50, "Sport": 7,
                ])
            let nameless = try #require(types["Game"]).filter { fields($0)["canonicalId"] == nil }
            #expect(nameless.count == 3)
            #expect(Set(names(all)).count == all.count)
            let game = fields(types["Game"]?.first)
            #expect(
                Set(game.keys) == [
                    "canonicalId", "homeTeamCanonicalId", "awayTeamCanonicalId",
                    "stadiumCanonicalId", "dateTime", "sport", "season", "isPlayoff",
                ])
            let path = "/database/1/iCloud.com.example.sportstime/production/public/records/query"
            let query = #"{"query":{"recordType":"Game"}}"#
            let page = try client.post("\(path)?ckAPIToken=api-token", query)
            #expect(try page.items("records").count == 200)
        }
    }

    @Test func `F24 each app has the indexes that its own queries need, and no other`() throws {
        func indexes(_ app: FixtureApp) -> [String: [String]] {
            let container = CloudContainer(
                CloudContainerKey(name: app.container, environment: "production"),
                settings: CloudSettings(), seed: 1)
            app.addSchema(to: container)
            return container.schema.mapValues { type in
                type.fields.flatMap { name, field in
                    (field.isQueryable ? ["\(name) queryable"] : [])
                        + (field.isSortable ? ["\(name) sortable"] : [])
                }.sorted()
            }
        }
        let byChange = ["modifiedTimestamp queryable", "recordName queryable"]
        let byField = ["lastModified queryable", "recordName queryable"]
        #expect(
            indexes(.sportstime) == [
                "Stadium": byChange, "Team": byChange, "Game": byChange, "Sport": byChange,
                "LeagueStructure": byField, "TeamAlias": byField, "StadiumAlias": byField,
            ])
        #expect(
            indexes(.snapchef) == [
                "Recipe": ["createdAt sortable", "ownerID queryable"], "UserProfile": [],
            ])
        for app in [FixtureApp.metube, .luego, .popcorn] {
            let all = indexes(app)
            #expect(!all.isEmpty && all.values.allSatisfy(\.isEmpty))
        }
    }

    @Test func `F24 the private apps have their records per user, with duplicates and broken ones`()
        throws
    {
        try withSource { client in
            let sizes = #""users":2,"records":20,"duplicates":4,"broken":1"#
            for name in ["metube", "luego", "popcorn", "snapchef"] {
                try client.command("cloudkit/fixture", #"{"name":"\#(name)",\#(sizes)}"#)
            }
            let user = "user=user-000002"
            let statuses = try dump(
                client, "container=iCloud.com.metube.app&\(user)&zone=WatchedStatusZone")
            #expect(statuses.count == 21)
            #expect(
                fields(statuses[0])["videoId"] as? String == statuses[0]["recordName"] as? String)
            let mirror = "zone=com.apple.coredata.cloudkit.zone"
            let articles = try dump(client, "container=iCloud.com.example.luego&\(user)&\(mirror)")
                .filter { $0["recordType"] as? String == "CD_Article" }
            let urls = articles.compactMap { fields($0)["CD_url"] as? String }
            #expect(articles.count == 25 && urls.count == 24 && Set(urls).count == 20)
            let core = "container=iCloud.uk.co.adam-young.Popcorn&\(user)"
            let movies = try dump(client, "\(core)&zone=com.apple.coredata.cloudkit.zone")
            let entries = movies.filter {
                $0["recordType"] as? String == "CD_MoviesWatchlistMovieEntity"
            }
            let movieIDs = entries.compactMap { fields($0)["CD_movieID"] as? Int }
            #expect(entries.count == 25 && movieIDs.count == 24 && Set(movieIDs).count == 20)
            #expect(movies.contains { $0["recordType"] as? String == "CDMR" })
            #expect(names(movies).allSatisfy { UUID(uuidString: $0) != nil })
            let recipes = try dump(client, "container=iCloud.com.example.snapchef")
            #expect(recipes.count == 42)
            let owned = recipes.filter { fields($0)["ownerID"] as? String == "user-000002" }
            #expect(owned.count == 21 && owned.filter { fields($0)["id"] == nil }.count == 1)
        }
    }

    @Test func `F24 fixtures are the same in every run`() throws {
        var texts: [String] = []
        for _ in 0..<2 {
            try withSource { client in
                try client.command("cloudkit/fixture", #"{"name":"popcorn","users":1}"#)
                let page = try client.post(
                    "/database/1/iCloud.uk.co.adam-young.Popcorn/production/private/changes/zone"
                        + "?ckAPIToken=api-token&ckWebAuthToken=token-user-000001",
                    #"{"zones":[{"zoneID":{"zoneName":"com.apple.coredata.cloudkit.zone"}}]}"#)
                #expect(page.status == 200)
                texts.append(page.text)
            }
        }
        #expect(texts[0] == texts[1])
    }
}
