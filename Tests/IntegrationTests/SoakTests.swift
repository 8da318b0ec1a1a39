import Basics
import Foundation
import HTTP
import JSON
import Postgres
import Runner
import TestJobFiles
import Testing

/// Five devices and the server edit the same statuses while much goes wrong; then all agree.
///
/// `JOBRUNNER_SOAK_ROUNDS` makes it longer, `JOBRUNNER_SOAK_SEED` other. The inputs follow from the
/// seed; in which order they meet is up to the machine.
@Suite struct SoakTests {
    @Test func `after ten minutes of edits on six sides every side holds the newest of each`()
        async throws
    {
        let environment = ProcessInfo.processInfo.environment
        let rounds = environment["JOBRUNNER_SOAK_ROUNDS"].flatMap { Int($0) } ?? 24
        let seed = environment["JOBRUNNER_SOAK_SEED"].flatMap { UInt64($0) } ?? 1
        let quick = ("  rate:\n", "  retry: { first: 5ms }\n  rate:\n")
        try await withStatuses(300, changes: [quick]) { world in
            var soak = Soak(world, seed: seed, step: .milliseconds(600_000 / rounds))
            try await world.drain()
            for round in 0..<rounds {
                try await soak.take(round)
            }
            let turns = try await soak.settle()
            try await soak.check()
            print(try await soak.report(rounds: rounds, turns: turns))
        }
    }
}

/// The state of a soak: the devices, the clock, and every edit anybody made.
struct Soak {
    private static let user = userName(1)
    /// A third of the edits meet in so few videos.
    private static let hotVideos = 12

    private let world: World
    private let step: Duration
    private var random: SplitMix
    private var devices: [Device]
    private var now: Int
    private var edits: [String: [Save]] = [:]
    private var ourEdits = 0
    private var faults: [String: Int] = [:]

    init(_ world: World, seed: UInt64, step: Duration) {
        self.world = world
        self.step = step
        random = SplitMix(seed: seed)
        now = statusBegin + 86_400_000
        let client = HTTPClient(userAgent: "device")
        devices = (0..<5).map { _ in
            Device(base: world.source.base, client: client, token: "token-\(Self.user)")
        }
    }

    // MARK: A round

    /// Moves the time, lets something go wrong, and has all sides edit and sync at once.
    mutating func take(_ round: Int) async throws {
        let milliseconds = Int(step / .milliseconds(1))
        now += milliseconds
        try await world.source.command(
            "POST", "cloudkit/clock", #"{"advance_ms": \#(milliseconds)}"#)
        try await moveJobs(milliseconds)
        // The first rounds take each kind of trouble once, later ones any.
        let trouble = round < Trouble.all.count ? Trouble.all[round] : random.any(of: Trouble.all)
        faults[trouble.name, default: 0] += 1
        guard trouble.isForWorker else {
            try await editHere(4)
            try await trouble.start(in: world)
            let world = world
            async let drained: Void = world.drain()
            try await runDevices()
            try await drained
            return
        }
        try await runDevices()
        try await editHere(4)
        try await world.source.heal()
        try await trouble.start(in: world)
        switch trouble.name {
        case "given up": try await interruptWorker(isGivenUp: true)
        case "stopped": try await interruptWorker(isGivenUp: false)
        default: try await world.drain()
        }
        if trouble.name == "signed out" { try await signIn() }
        try await world.source.heal()
    }

    /// New web auth tokens for the devices, and for the worker.
    private mutating func signIn() async throws {
        for place in 0...devices.count {
            let user = Self.user
            let minted = try await world.cloud(.metube, "token", #""user": "\#(user)""#)
            let token = try #require(minted.text("token"))
            if place < devices.count {
                devices[place].signIn(token)
            } else {
                try await world.store(token, as: "ck_web_auth_token", of: Self.user)
            }
        }
    }

    /// Waits that a source asked for pass in the same time as all else.
    private func moveJobs(_ milliseconds: Int) async throws {
        try await world.given(
            .waited("\(milliseconds) ms", .waiting), .due(.waiting.and(.patient)))
    }

    private mutating func runDevices() async throws {
        for place in devices.indices {
            for _ in 0..<3 {
                let save = nextSave(place + 1)
                if devices[place].edit(save) { note(save) }
            }
            // Some are out of reach for a while.
            if random.number(below: 4) > 0 { try await devices[place].sync() }
            try await editHere(1)
        }
    }

    private mutating func editHere(_ count: Int) async throws {
        for turn in 0..<count {
            let save = nextSave(0)
            let isMade =
                turn % 2 == 0 ? try await update(save) : try await callEdit(save)
            guard isMade else { continue }
            note(save)
            ourEdits += 1
        }
    }

    private func update(_ save: Save) async throws -> Bool {
        try await world.sql(
            """
            update synced.watched_status
            set status = $2, playback_position = $4, synced = false,
              last_modified = timestamptz 'epoch' + $3 * interval '1 ms'
            where video_id = $1 and last_modified < timestamptz 'epoch' + $3 * interval '1 ms'
            returning true
            """, .text(save.video), .text(save.status), .int8(Int64(save.modified)),
            .double(save.position)
        ).first != nil
    }

    private func callEdit(_ save: Save) async throws -> Bool {
        try await world.sql(
            """
            with mine as materialized (
              select video_id from synced.watched_status
              where video_id = $2 and last_modified < timestamptz 'epoch' + $4 * interval '1 ms'
              for update
            )
            select jobrunner.edit_record('acme', $1, 'watched_status', jsonb_build_object(
              'video_id', m.video_id, 'status', $3::text, 'playback_position', $5::double precision,
              'last_modified', timestamptz 'epoch' + $4 * interval '1 ms'
            )) from mine as m
            """, .text(Self.user), .text(save.video), .text(save.status),
            .int8(Int64(save.modified)), .double(save.position)
        ).first != nil
    }

    /// An edit at about now, by a clock that may be some seconds off; no two have the same time.
    private mutating func nextSave(_ side: Int) -> Save {
        let isHot = random.number(below: 3) == 0
        let name = video(random.number(below: isHot ? Self.hotVideos : 300))
        let word = ["unknown", "unwatched", "watched", "skipped"][random.number(below: 4)]
        let time = now - 20_000 + random.number(below: 4_000) * 10
        var save = Save(name, word, time + side, position: Double(random.number(below: 5_000)))
        while edits[name, default: []].contains(where: { $0.modified == save.modified }) {
            save.modified += 10
        }
        return save
    }

    private mutating func note(_ save: Save) { edits[save.video, default: []].append(save) }

    /// A worker that loses its job, or is stopped, while the source has its batch.
    private func interruptWorker(isGivenUp: Bool) async throws {
        let worker = try await world.start(concurrency: 1) { $0.lease = .seconds(3600) }
        try await eventually("the batch is under way, or there was none") {
            let fired = try await world.source.command("GET", "faults")
            let isStruck = fired["faults"]?.elements.contains { ($0.int("fired") ?? 0) > 0 }
            if isStruck == true { return true }
            return try await isAtRest()
        }
        if isGivenUp {
            try await world.giveUpWorkers()
            try await world.drain()
            try await world.source.command("POST", "hurry", "{}")
            await worker.stop()
        } else {
            await worker.stop()
            try await world.source.command("POST", "release", "{}")
        }
    }

    private func isAtRest() async throws -> Bool {
        try await world.value(
            "select bool_and(state = 'waiting' and due_at > now()) from jobrunner.jobs") == "true"
    }
}

// The end of a soak.
extension Soak {
    /// Heals everything, then syncs until nobody has anything to say; returns how many turns it took.
    mutating func settle() async throws -> Int {
        try await world.source.heal()
        try await world.source.command("POST", "release", "{}")
        for turn in 1...10 {
            try await world.given(.undeferred(), .unblocked())
            try await world.runAgain()
            for place in devices.indices { try await devices[place].sync() }
            let theirs = try await world.remote()
            if devices.allSatisfy({ $0.isSettled && $0.statuses == theirs }),
                try await world.disagreements().isEmpty
            {
                return turn
            }
        }
        Issue.record("the sides did not come to rest")
        return 0
    }

    /// Every side agrees, nothing newer is lost, and nothing newer was ever overwritten.
    func check() async throws {
        #expect(try await world.disagreements() == [])
        let (theirs, history) = (try await world.remote(), try await world.history())
        #expect(theirs.count == 300)
        for device in devices { #expect(device.statuses == theirs) }
        for (name, versions) in history.sorted(by: { $0.key < $1.key }) {
            let first = try #require(versions.first.flatMap { $0 })
            let all = [first] + edits[name, default: []]
            let newest = all.max { $0.modified < $1.modified }
            #expect(theirs[name] == newest, "the newest edit of \(name) is lost")
            let written = versions.compactMap { $0 }
            #expect(written.allSatisfy(all.contains), "\(name) holds what nobody wrote")
            for (one, next) in zip(written, written.dropFirst()) {
                #expect(one.modified < next.modified, "\(name): \(next) overwrote \(one)")
            }
        }
        #expect(try await world.unfinished() == [])
        // What was to go wrong did.
        let outcomes = try await world.outcomes(Self.user)
        for outcome in [
            "deferred rate_limited", "needs_reauth unauthorised", "partial crashed",
        ] {
            #expect(outcomes.contains(outcome))
        }
        #expect(try await world.calls().contains("records/lookup"))
    }

    func report(rounds: Int, turns: Int) async throws -> String {
        let log = try await world.source.log()
        let outcomes = try await world.outcomes(Self.user)
        let told = Dictionary(outcomes.map { ($0, 1) }, uniquingKeysWith: +)
        let history = try await world.history()
        let count = edits.values.reduce(0) { $0 + $1.count }
        func requests(_ word: String) -> Int { log.count { $0.text("op") == word } }
        return """
            soak: \(rounds) rounds, settled in \(turns) turns
              edits: \(count), ours \(ourEdits); videos edited: \(edits.count); \
            versions written: \(history.values.reduce(0) { $0 + $1.count - 1 })
              requests: \(log.count), of those changes/zone \(requests("changes/zone")), \
            records/modify \(requests("records/modify")), records/lookup \(requests("records/lookup"))
              faults struck: \(log.count { $0.text("fault") != nil }), of kinds \
            \(faults.sorted { $0.key < $1.key }.map { "\($0) \($1)" }.joined(separator: ", "))
              runs: \(told.sorted { $0.key < $1.key }.map { "\($0) \($1)" }.joined(separator: ", "))
              devices: conflicts \(devices.reduce(0) { $0 + $1.conflicts }), failures \
            \(devices.reduce(0) { $0 + $1.failures }), lost tokens \
            \(devices.reduce(0) { $0 + $1.lostTokens })
            """
    }
}

/// What goes wrong in a round.
struct Trouble: Sendable {
    var name: String
    /// The fault, if it is one.
    var fault: String?
    /// It is to strike the worker, so the devices sync before.
    var isForWorker = false

    func start(in world: World) async throws {
        if let fault { try await world.source.fault(fault) }
        if name == "signed out" {
            try await world.cloud(.metube, "expire", #""what": ["web_tokens"]"#)
        }
        guard name.hasPrefix("expired") else { return }
        let answer = name.hasSuffix("code") ? "CHANGE_TOKEN_EXPIRED" : "BAD_REQUEST"
        try await world.settings(#""expired_token": "\#(answer)""#)
        try await world.cloud(.metube, "expire", #""what": ["sync_tokens"]"#)
    }

    static let all: [Trouble] = [
        Trouble(name: "none", fault: nil),
        Trouble(
            name: "throttled briefly",
            fault: #"{"kind": "throttle", "retry_after": 0.02, "op": "records/modify", "times": 2}"#
        ),
        Trouble(
            name: "throttled for long",
            fault: #"{"kind": "throttle", "retry_after": 90, "op": "changes/zone", "times": 2}"#,
            isForWorker: true),
        Trouble(name: "signed out", fault: nil, isForWorker: true),
        Trouble(
            name: "throttled in the middle",
            fault: #"{"kind": "throttle", "retry_after": 90, "op": "records/lookup"}"#),
        Trouble(
            name: "records refused",
            fault:
                #"{"kind": "record_error", "code": "INTERNAL_ERROR", "op": "records/modify", "every": 2, "times": 2}"#
        ),
        Trouble(
            name: "false conflicts",
            fault:
                #"{"kind": "record_error", "code": "CONFLICT", "op": "records/modify", "every": 3, "times": 3}"#
        ),
        Trouble(name: "expired token by code", fault: nil),
        Trouble(name: "expired token by reason", fault: nil),
        Trouble(
            name: "empty pages", fault: #"{"kind": "empty_page", "op": "changes/zone", "times": 3}"#
        ),
        Trouble(
            name: "answers lost", fault: #"{"kind": "close", "op": "records/modify", "times": 2}"#),
        Trouble(
            name: "answers cut",
            fault: #"{"kind": "cut", "after": 20, "op": "records/modify", "times": 3}"#),
        Trouble(
            name: "given up",
            fault: #"{"kind": "slow", "delay_ms": 60000, "op": "records/modify"}"#,
            isForWorker: true),
        Trouble(
            name: "stopped",
            fault: #"{"kind": "hang", "op": "records/modify"}"#, isForWorker: true),
        Trouble(
            name: "unavailable",
            fault:
                #"{"kind": "cloudkit_error", "code": "TRY_AGAIN_LATER", "retry_after": 0.02, "op": "changes/zone", "times": 2}"#
        ),
    ]
}

extension SplitMix {
    /// A number from 0 up to `count`, which is not reached.
    mutating func number(below count: Int) -> Int { Int(next() % UInt64(count)) }

    mutating func any<Element>(of elements: [Element]) -> Element {
        elements[number(below: elements.count)]
    }
}
