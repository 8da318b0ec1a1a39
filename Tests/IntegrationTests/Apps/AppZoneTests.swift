import Testing

/// The zones of users' own records, asked of every shipped job that reads one.
@Suite struct AppZoneTests {
    @Test(arguments: AppCase.asked(.account), ["missing", "zone", "EXISTS", "CONFLICT"])
    func `MS4 MS5 a zone is made sure of once, then pulled, then pushed to`(
        _ app: AppCase, _ answer: String
    ) async throws {
        try await app.open(records: 3) { world in
            if answer == "missing" {
                try await world.cloud(
                    app.app, "zones", app.place + #""delete": ["\#(app.zone ?? "")"]"#)
            } else {
                // Somebody else has made it meanwhile.
                try await world.cloud(app.app, "settings", #""existing_zone": "\#(answer)""#)
                try await world.source.fault(
                    #"{"kind": "zone_error", "code": "ZONE_NOT_FOUND", "op": "zones/lookup"}"#)
            }
            if app.does(.pushes) { try await app.weEdit("mine", 0, app.made, in: world) }
            try await world.drain()
            let calls = try await world.calls()
            #expect(
                calls.prefix(4) == ["users/caller", "zones/lookup", "zones/modify", app.pull])
            #expect(calls.contains("records/modify") == app.does(.pushes))
            try await app.compare(world)
            #expect(!(try await world.job(app.user).isNull("last_success_at")))
            try await world.runAgain()
            let later = try await world.calls().dropFirst(calls.count)
            #expect(!later.isEmpty && later.allSatisfy { $0 == app.pull })
        }
    }
}
