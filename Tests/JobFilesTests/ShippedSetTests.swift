import JSON
@testable import JobFiles
import Testing

/// The files that ship mean what the original apps do.
@Suite struct ShippedSet {
    static let paths = [
        "luego/refresh", "metube/refresh", "metube/status", "metube/tokens", "metube/worker",
        "popcorn/cache",
        "popcorn/refresh",
        "snapchef/refresh", "sportstime/processing", "sportstime/refresh",
    ]

    @Test(arguments: paths)
    func `a shipped file is named after its place and has every entity switched on`(path: String)
        throws
    {
        let job = try shipped(path)
        #expect(job.name == path.replacing("/", with: "."))
        #expect(job.entities.allSatisfy { $0.isEnabled })
        #expect(
            job.source.cloudkitAddress != nil || path.hasPrefix("metube/")
                || path == "popcorn/cache")
    }

    @Test(arguments: ["luego/refresh", "metube/status", "metube/tokens", "popcorn/refresh"])
    func `LU23 a private database asks first whose account it is`(path: String) throws {
        let job = try shipped(path)
        #expect(job.before.first?.action == .preset(.checkAccount))
        #expect(job.schedule.requires == [.secret("ck_web_auth_token")])
        #expect(job.source.cloudkitAddress?.database == .private)
        #expect(job.source.base == "https://api.apple-cloudkit.com")
        let apiToken = try Template(parsing: "{secret.ck_api_token}")
        #expect(
            job.source.auth
                == .cloudkitUser(
                    apiToken: apiToken,
                    webAuthToken: "ck_web_auth_token", rotates: true))
        #expect(
            job.source.retry.waitFrom
                == [.header("Retry-After"), .body(Path(steps: [.member("retryAfter")]))])
        #expect(
            job.source.retry.on == [.network, .timeout, .status(408), .status(429), .serverErrors])
    }

    @Test func `MH33 the worker's videos are read by keyset, 300 channels at a time`() throws {
        let job = try shipped("metube/worker")
        let video = try #require(job.entities.first)
        #expect(
            video.forEach
                == ForEach(sources: [ItemSource(origin: .list("channel_ids"), chunk: 300)]))
        #expect(
            video.page.style == .keyset(.body(Path(steps: [.member("maxSeqReturned")])), start: "0")
        )
        #expect(video.page.persists && video.page.end == .shortPage)
        #expect(video.page.size == 500)
        #expect(video.write.table == "hub_video")
        #expect(
            sent(video, [:])
                == #"{"channelIds":"{chunk}","afterSeq":"{page.token}","limit":"{page.size}"}"#)
    }

    @Test func `MS4 the status job ensures its zone, pulls the feed and pushes what is dirty`()
        throws
    {
        let job = try shipped("metube/status")
        #expect(job.schedule.every == .seconds(300))
        #expect(
            job.before.map(\.action) == [
                .preset(.checkAccount),
                .preset(.ensureZone("WatchedStatusZone", isRemembered: true)),
            ])
        let status = try #require(job.entities.first)
        #expect(
            status.cloudkit
                == .zoneChanges(zone: "WatchedStatusZone", recordTypes: .only(["WatchedStatus"])))
        #expect(status.request.method == "POST")
        #expect(
            status.request.path.description
                == "/database/1/iCloud.com.metube.app/production/private/changes/zone")
        #expect(
            sent(status, [:])
                == #"{"zones":[{"zoneID":{"zoneName":"WatchedStatusZone"},"syncToken":"{page.token}","resultsLimit":"{page.size}"}]}"#
        )
        #expect(status.records.at.description == "zones[].records[]")
        guard case .syncToken(let at, let more) = status.page.style else {
            Issue.record("no sync token")
            return
        }
        #expect(at.description == "zones[].syncToken")
        #expect(more.description == "zones[].moreComing")
        let answer = try JSONDocument(
            parsing: Array(#"{"zones":[{"syncToken":"t","moreComing":true,"records":[]}]}"#.utf8))
        #expect(at.first(in: answer.root)?.string == "t")
        #expect(more.first(in: answer.root)?.bool == true)
    }

    @Test func `MS31 a device's token makes no column, and has a zone that no other file reads`()
        throws
    {
        let token = try #require(try shipped("metube/tokens").entities.first)
        #expect(
            token.records.fields.map(\.name) == [
                "device", "record_name", "change_tag", "modified_at",
            ])
        #expect(
            token.records.secrets == [
                BroughtSecret(
                    name: "youtube_refresh_token",
                    at: Path(
                        steps: [.member("fields"), .member("refreshToken"), .member("value")]))
            ])
        let zones = try Self.paths.filter { $0 != "metube/tokens" }.flatMap { path in
            try shipped(path).entities.compactMap(\.zone)
        }
        #expect(token.zone == "TokenZone" && !zones.contains("TokenZone"))
    }

    @Test func `MS16 tombstones find their row by the column of the record's name`() throws {
        let status = try #require(try shipped("metube/status").entities.first)
        #expect(
            status.records.fields.map(\.name) == [
                "video_id", "status", "last_modified", "playback_position", "record_name",
                "change_tag", "modified_at",
            ])
        #expect(status.recordNameColumn == "record_name")
        #expect(status.changeTagColumn == "change_tag")
        #expect(status.records.field(named: "record_name")?.required == true)
        #expect(status.records.fields.allSatisfy { $0.form == .cloudkit })
        #expect(status.records.field(named: "status")?.at.description == "fields.status.value")
        #expect(status.records.field(named: "modified_at")?.at.description == "modified.timestamp")
        #expect(
            status.pushedFields.map(\.sourceName) == [
                "videoId", "status", "lastModified", "playbackPosition",
            ])
        #expect(status.write.deletes?.appliesTombstones == true)
        #expect(status.write.deletes?.unsent == .delete)
        #expect(status.write.deletes?.maxFraction == 0.5)
        #expect(status.recover.map(\.steps) == [[.createZone, .forgetToken], [.forgetToken]])
        #expect(status.recover[1].codes == ["CHANGE_TOKEN_EXPIRED"])
        #expect(status.recover[1].reasonHas == ["continuation"])
        #expect(status.recover[1].then == .fullPass)
        let recordName = try Template(parsing: "{row.video_id}")
        #expect(
            status.push
                == Push(
                    batch: 200, recordType: "WatchedStatus",
                    recordName: recordName,
                    operation: .createOrUpdateWithTag, resolution: .newestWins, conflictRounds: 2,
                    sendsDeletes: false, debounce: nil))
    }

    @Test(arguments: ["sportstime/refresh", "sportstime/processing"])
    func `ST1 SportsTime reads its seven entities in order, once for the tenant`(path: String)
        throws
    {
        let job = try shipped(path)
        #expect(job.scope == .tenant)
        #expect(job.notifiesOnChange)
        #expect(
            job.entities.map(\.name) == [
                "stadium", "league_structure", "team", "team_alias", "stadium_alias", "game",
                "sport",
            ])
        for entity in job.entities {
            #expect(entity.incremental?.fallsBackToJob == true)
            #expect(entity.incremental?.format == .time(.epochMilliseconds))
            #expect(entity.records.field(named: "modified_at")?.kind == .timestamp)
            #expect(entity.recordNameColumn == nil)
            #expect(
                entity.page.style == .token(.body(Path(steps: [.member("continuationMarker")]))))
        }
        #expect(job.entities[5].write.indexes == [["starts_at"]])
    }

    @Test func `ST33 the hourly job only syncs, and the daily one cleans up as well`()
        throws
    {
        let hourly = try shipped("sportstime/refresh")
        let daily = try shipped("sportstime/processing")
        #expect(hourly.schedule.every == .seconds(3600))
        #expect(daily.schedule.every == .seconds(86_400))
        #expect(
            hourly.schedule.triggers == [
                Trigger(
                    event: "network_restored", debounce: .milliseconds(2_500),
                    cancelOn: "network_lost")
            ])
        #expect(daily.schedule.triggers.isEmpty && hourly.after.isEmpty)
        #expect(
            daily.after == [
                AfterStep(
                    action: .cleanup(
                        table: "st_game", by: "starts_at", olderThan: .seconds(400 * 86_400)),
                    onlyIf: .complete)
            ])
        // Each sweeps what it has read itself: what one has read, the other's passes may never have shown.
        #expect(
            (daily.entities + hourly.entities).allSatisfy {
                $0.sweeps && $0.incremental?.fullEvery == .seconds(86_400)
            })
        // The same columns, or one of the two would leave those of the other empty.
        #expect(hourly.entities.map(\.records) == daily.entities.map(\.records))
    }

    @Test func `ST6 a query is windowed by its own field or by the server's time`() throws {
        let entities = try shipped("sportstime/refresh").entities
        let window =
            #"{"systemFieldName":"modifiedTimestamp","comparator":"GREATER_THAN_OR_EQUALS","fieldValue":{"value":"{since}","type":"TIMESTAMP"}}"#
        let rest =
            #"},"continuationMarker":"{page.token}"}"#
        let start =
            #"{"zoneID":{"zoneName":"_defaultZone"},"resultsLimit":"{page.size}","query":{"recordType":"Stadium""#
        // No order, for which the app has no index.
        #expect(sent(entities[0], [.since: true]) == start + #","filterBy":[\#(window)]"# + rest)
        // A full pass has no filter at all.
        #expect(sent(entities[0], [:]) == start + rest)
        let league = try #require(sent(entities[1], [.since: true]))
        #expect(league.contains(#""fieldName":"lastModified","comparator":"GREATER_THAN","#))
        #expect(
            entities[1].records.field(named: "modified_at")?.at.description
                == "fields.lastModified.value")
    }

    @Test func `SC19 one record tells whether SnapChef's recipes are worth reading`() throws {
        let job = try shipped("snapchef/refresh")
        #expect(
            job.freshness
                == Freshness(soft: .seconds(900), hard: .seconds(1_800)))
        let recipe = try #require(job.entities.first)
        #expect(
            sent(recipe, [:])
                == #"{"zoneID":{"zoneName":"_defaultZone"},"resultsLimit":"{page.size}","query":{"recordType":"Recipe","filterBy":[{"fieldName":"ownerID","comparator":"EQUALS","fieldValue":{"value":"{user.user_id}"}}],"sortBy":[{"fieldName":"createdAt","ascending":false}]},"continuationMarker":"{page.token}"}"#
        )
        let probe = try #require(recipe.probe)
        #expect(
            text(probe.request.body, [:])
                == #"{"zoneID":{"zoneName":"_defaultZone"},"resultsLimit":1,"query":{"recordType":"Recipe","filterBy":[{"fieldName":"ownerID","comparator":"EQUALS","fieldValue":{"value":"{user.user_id}"}}],"sortBy":[{"fieldName":"createdAt","ascending":false}]}}"#
        )
        #expect(
            probe.skipIfSame.map(\.description) == [
                "records[].recordName", "records[].recordChangeTag",
            ])
        #expect(recipe.records.field(named: "body")?.at.steps.isEmpty == true)
        #expect(
            recipe.pushedFields.map(\.name) == [
                "recipe_id", "owner_id", "created_at", "title", "servings", "ingredients",
            ])
    }

    @Test func `LU6 LU7 LU8 LU9 LU10 Luego merges by URL and pushes the losers' deletion`() throws {
        let job = try shipped("luego/refresh")
        let article = try #require(job.entities.first)
        #expect(
            article.write.unique
                == Unique(
                    by: ["url"], keep: .oldest, keepField: "saved_date",
                    merge: [
                        Unique.Merge(column: "is_favorite", rule: .or),
                        Unique.Merge(column: "is_archived", rule: .and),
                        Unique.Merge(column: "read_position", rule: .max),
                    ], losers: .delete))
        #expect(article.write.deletes?.softField == "deleted_at")
        #expect(article.write.deletes?.appliesTombstones == true)
        #expect(article.push?.sendsDeletes == true)
        #expect(article.push?.debounce == .milliseconds(250))
        #expect(article.push?.resolution == .remoteWins)
        #expect(article.recordNameColumn == "record_name")
        #expect(
            article.records.fields.map(\.name).suffix(3) == [
                "deleted_at", "change_tag", "modified_at",
            ])
        #expect(job.health == [HealthCheck(table: "article", by: ["url"])])
    }

    @Test func `PO1 PO5 Popcorn's watchlist is a synced store with duplicates hidden`() throws {
        let job = try shipped("popcorn/refresh")
        #expect(
            job.stores == [
                Store(table: "watchlist_movie", kind: .synced),
                Store(table: "search_history", kind: .synced),
                Store(table: "popcorn_record", kind: .synced),
            ])
        let cache = try shipped("popcorn/cache")
        #expect(cache.stores.count == 3 && cache.stores.allSatisfy { $0.kind == .disposable })
        let movie = try #require(job.entities.first)
        #expect(movie.write.unique?.losers == .keepHidden)
        #expect(movie.zone == "com.apple.coredata.cloudkit.zone")
        #expect(movie.recordTypes == ["CD_MoviesWatchlistMovieEntity"])
        #expect(movie.records.fields.filter(\.required).map(\.name) == ["record_name"])
    }

    /// An entity's body as JSON, placeholders as their own text.
    private func sent(_ entity: Entity, _ values: [Placeholder: Bool]) -> String? {
        text(entity.request.body, values)
    }

    private func text(_ body: BodyTemplate?, _ values: [Placeholder: Bool]) -> String? {
        body.flatMap { value($0, values) }.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    private func value(_ body: BodyTemplate, _ values: [Placeholder: Bool]) -> JSONValue? {
        switch body {
        case .literal(let value): value
        case .text(let template): .string(template.description)
        case .array(let elements): .array(elements.compactMap { value($0, values) })
        case .object(let members):
            .object(
                members.compactMap { member in
                    value(member.value, values).map { JSONMember(member.name, $0) }
                })
        case .when(let placeholder, let inner):
            values[placeholder] == true ? value(inner, values) : nil
        }
    }
}
