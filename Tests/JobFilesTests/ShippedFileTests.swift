import Basics
import JSON
import JobFiles
import TestJobFiles
import Testing

/// `jobs/metube/refresh.yaml` compiles to the model that the MeTube behaviours ask for.
@Suite struct ShippedFile {
    private let job: JobFile

    init() throws { job = try JobFile.parse(try shippedFile(), file: "refresh.yaml").get() }

    private func template(_ text: String) throws -> Template { try Template(parsing: text) }

    @Test func `the schedule is hourly with a deadline and a phase per user`() {
        #expect(job.name == "metube.refresh")
        #expect(job.schedule.every == .seconds(3_600))
        #expect(job.schedule.deadline == .seconds(300))
        #expect(job.schedule.spread == .user)
        #expect(job.schedule.requires == [.made("hub_user_id")])
    }

    @Test func `the source is asked patiently and within its budget`() {
        #expect(job.source.id == "metube-hub")
        #expect(job.source.base == "https://metube.pardeike.net")
        #expect(job.source.auth == .none)
        #expect(job.source.timeout == .seconds(30))
        #expect(job.source.retry.attempts == 3)
        #expect(job.source.retry.first == .seconds(1))
        #expect(job.source.retry.factor == 2)
        #expect(job.source.retry.jitter == 0.2)
        #expect(
            job.source.retry.on == [.network, .timeout, .status(408), .status(429), .serverErrors])
        #expect(job.source.retry.waitFrom == [.header("Retry-After")])
        #expect(job.source.rate?.perSecond == 20)
        #expect(job.source.rate?.concurrent == 8)
    }

    @Test func `the calls are health, register and reconcile`() throws {
        #expect(job.calls.map(\.name) == ["health", "register", "reconcile"])
        let health = try #require(job.call(named: "health"))
        #expect(!health.retries)
        #expect(health.request.method == "GET")
        #expect(health.request.expect == [200])
        let register = try #require(job.call(named: "register"))
        #expect(register.retries)
        #expect(register.skipIfEmpty == "channel_ids")
        #expect(register.onFailure == .fail)
        let path = try template("/api/users/{user.hub_user_id}/channels")
        #expect(register.request.path == path)
        guard case .object(let members)? = register.request.body else {
            Issue.record("no object")
            return
        }
        #expect(members.map(\.name) == ["channelIds"])
        let ids = try template("{list.channel_ids}")
        #expect(members.map(\.value) == [.text(ids)])
        #expect(ids.lonePlaceholder == .list("channel_ids"))
        let reconcile = try #require(job.call(named: "reconcile"))
        #expect(reconcile.minGap == .seconds(900))
        #expect(reconcile.onFailure == .warn)
        #expect(job.list(named: "channel_ids")?.table == "hub_channel")
        #expect(job.list(named: "channel_ids")?.column == "channel_id")
    }

    @Test func `registration has its three reasons`() throws {
        #expect(
            job.before.map(\.action)
                == [.call("health"), .call("register"), .call("reconcile")])
        let channels = try template("{call.health.stats.channels}")
        #expect(
            job.before[1].ifAny == [
                .equals(channels, .integer(0)), .neverSucceeded("register"),
                .listChanged("channel_ids"),
            ])
        #expect(job.before[0].ifAny.isEmpty)
    }

    @Test func `the feed is read by token and incrementally`() throws {
        let video = try #require(job.entities.first)
        #expect(job.entities.count == 1)
        #expect(video.name == "video")
        #expect(video.request.query.map(\.name) == ["since", "cursor", "limit"])
        #expect(
            video.request.query.map(\.value.lonePlaceholder) == [.since, .pageToken, .pageSize])
        #expect(video.page.style == .token(.body(Path(steps: [.member("nextCursor")]))))
        #expect(video.page.size == 100)
        #expect(video.page.maxPages == nil)
        #expect(video.incremental?.watermark == .runStart)
        #expect(video.incremental?.overlap == .seconds(7_200))
        #expect(video.incremental?.format == .time(.iso8601))
        #expect(video.incremental?.fullIf == [.tableEmpty("hub_video")])
    }

    @Test func `records, write and recovery are as MeTube needs them`() throws {
        let video = try #require(job.entities.first)
        #expect(video.records.at == Path(steps: [.member("videos"), .each]))
        #expect(video.records.key == ["video_id"])
        #expect(
            video.records.fields.map(\.name) == [
                "video_id", "channel_id", "published_at", "title", "description", "thumbnail_url",
                "duration_s",
            ])
        #expect(
            video.records.fields.filter { !$0.required }.map(\.name) == [
                "title", "description", "thumbnail_url", "duration_s",
            ])
        #expect(video.records.field(named: "published_at")?.kind == .timestamp)
        #expect(video.records.field(named: "duration_s")?.kind == .duration)
        #expect(video.records.keepIf.map(\.field) == ["duration_s"])
        #expect(video.records.keepIf.map(\.comparison) == [.gte])
        #expect(video.records.keepIf.map(\.value) == [.integer(60)])
        #expect(video.records.keepIf.map(\.keepsMissing) == [true])
        #expect(video.write.table == "hub_video")
        #expect(video.write.mode == .overwrite)
        #expect(video.recover.map(\.name) == ["user_not_found"])
        #expect(video.recover.map(\.statuses) == [[404]])
        #expect(video.recover.map(\.steps) == [[.call("register")]])
        #expect(video.recover.map(\.then) == [.retryRequest])
        #expect(video.recover.map(\.times) == [1])
    }

    @Test func `the expanded form is a job file that means the same`() throws {
        #expect(try parsed(job.expanded) == job)
        #expect(job.expanded.contains("\"on_failure\": \"warn\""))
        _ = try JSONDocument(parsing: Array(job.expanded.utf8))
    }

    @Test func `every cut of the file is read or refused, never a trap`() throws {
        let bytes = try shippedFile()
        for length in 0..<bytes.count {
            switch JobFile.parse(Array(bytes[..<length]), file: "cut.yaml") {
            case .success(let cut):
                // Recovery comes last and is optional, so it is all that a whole file may lack.
                var expected = job
                expected.entities[0].recover = cut.entities[0].recover
                #expect(cut == expected)
            case .failure(let mistakes): #expect(!mistakes.all.isEmpty)
            }
        }
    }

    @Test(arguments: 0..<4) func `random damage never traps`(part: Int) throws {
        var random = SplitMix(seed: UInt64(part))
        let bytes = try shippedFile()
        let splices = Array("{}[]\",:'|>&*!%@`#-?. \n\t\u{0}0".utf8) + [0x80, 0xC3, 0xFF]
        for _ in 0..<400 {
            var damaged = bytes
            for _ in 0...Int.random(in: 0..<6, using: &random) {
                let place = Int.random(in: 0..<damaged.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: damaged[place] = splices[Int.random(in: 0..<splices.count, using: &random)]
                case 1: damaged.remove(at: place)
                case 2:
                    let end = min(damaged.count, place + 40)
                    damaged.insert(contentsOf: damaged[place..<end], at: place)
                default: damaged[place] = UInt8.random(in: .min ... .max, using: &random)
                }
            }
            if case .failure(let mistakes) = JobFile.parse(damaged, file: "damaged.yaml") {
                #expect(!mistakes.all.isEmpty)
                #expect(mistakes.all.allSatisfy { $0.line > 0 && $0.column > 0 })
                #expect(mistakes.all.allSatisfy { !$0.description.contains("\n") })
            }
        }
    }
}
