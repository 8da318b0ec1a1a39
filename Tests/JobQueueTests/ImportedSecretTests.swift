import JobQueue
import Postgres
import Testing

/// Users that come with secrets, by thousands.
@Suite struct ImportedSecretTests {
    private func users(_ count: Int) -> [NewUser] {
        (1...count).map { number in
            let header: [UInt8] = [2] + [UInt8](repeating: 1, count: 8)
            let box = [UInt8](repeating: 0, count: 60) + [UInt8(number % 251)]
            return NewUser(
                key: "new\(number)", seal: Sealing { _ in [(name: "token", sealed: header + box)] })
        }
    }

    @Test func `a thousand users with secrets are as many statements as one`() async throws {
        try await Fixture.lend(lanes: 1) { fixture in
            var statements: [Int] = []
            for count in [1, 1000] {
                let before = fixture.pool.counts.statements
                let added = try await fixture.queue.addUsers(
                    users(count), tenant: "acme", within: .zero)
                statements.append(fixture.pool.counts.statements - before)
                // The first one of the thousand was there.
                #expect(added.users == max(1, count - 1) && added.secrets == max(1, count - 1))
            }
            #expect(statements[0] == statements[1] && statements[1] <= 6, "\(statements)")
            // Each has its own.
            #expect(
                try await fixture.text(
                    "select bool_and(get_byte(sealed, 69) = substring(u.key from 4)::integer % 251)::text from jobrunner.secrets as s join jobrunner.users as u on u.id = s.user_id"
                )
                    == "true")
        }
    }

    @Test
    func `secrets of a user that is removed meanwhile are not stored, and none of the others`()
        async throws
    {
        try await Fixture.lend { fixture in
            let user = try await fixture.addUser()
            let call =
                "select * from jobrunner.add_secrets(\(1), array[\(user), $1], '{a,b}', array[\(sealed()), \(sealed())])"
            #expect(try await fixture.refusal(call, .int8(user + 1000)) == "JR011")
            #expect(
                try await fixture.refusal(
                    "select * from jobrunner.add_secrets(1, array[\(user)], '{a,b}', array[\(sealed())])"
                )
                    == "JR017")
            #expect(try await fixture.texts("select name from jobrunner.secrets") == [])
        }
    }

    @Test(arguments: [
        "'plain'::bytea", "''::bytea", "decode(repeat('01', 49), 'hex')",
        "decode('02' || repeat('01', 57), 'hex')", "decode('02' || repeat('01', 20537), 'hex')",
        "decode(repeat('01', 80), 'hex')", "null::bytea",
    ])
    func `what is not sealed, or empty, or too long is taken by no verb`(_ value: String)
        async throws
    {
        try await Fixture.lend { fixture in
            let user = try await fixture.addUser()
            let tenant = try await fixture.int("select id from jobrunner.tenants")
            try await fixture.script(
                "select jobrunner.put_secret(\(tenant), \(user), 'kept', \(sealed()))")
            for call in [
                "put_secret(\(tenant), \(user), 'token', \(value))",
                "put_secret(\(tenant), 0, 'token', \(value))",
                "rotate_secret(\(tenant), \(user), 'kept', 1, 2, \(value))",
                "bring_secret(\(tenant), \(user), 'hub.refresh', 'token', \(value), now())",
                "add_secrets(\(tenant), array[\(user)], '{token}', array[\(value)])",
            ] {
                #expect(
                    try await fixture.refusal("select jobrunner.\(call)::text") == "JR017",
                    "\(call)")
            }
            #expect(
                try await fixture.texts(
                    "select name from jobrunner.secrets where sealed = \(sealed())")
                    == ["kept"])
        }
    }

    @Test func `what another key has sealed is taken by no verb, nor what a key that went has`()
        async throws
    {
        try await Fixture.lend { fixture in
            let user = try await fixture.addUser()
            let tenant = try await fixture.int("select id from jobrunner.tenants")
            let foreign = "set_byte(\(sealed()), 8, 2)"
            for call in [
                "put_secret(\(tenant), \(user), 'token', \(foreign))",
                "set_secret('acme', null, 'token', \(foreign))",
                "rotate_secret(\(tenant), \(user), 'kept', 1, 2, \(foreign))",
                "bring_secret(\(tenant), \(user), 'hub.refresh', 'token', \(foreign), now())",
                "add_secrets(\(tenant), array[\(user)], '{token}', array[\(foreign)])",
            ] {
                #expect(
                    try await fixture.refusal("select jobrunner.\(call)::text") == "JR019",
                    "\(call)")
            }
            // Another tenant's key is no key here.
            try await fixture.addTenant("zeta")
            try await fixture.script(
                """
                select jobrunner.replace_tenant_key(t.id, decode(repeat('03', 8), 'hex'), decode(repeat('03', 32), 'hex'),
                  null, decode(repeat('03', 8), 'hex'), k.id)
                from jobrunner.tenants as t join jobrunner.tenant_keys as k on k.tenant_id = t.id where t.name = 'zeta'
                """)
            #expect(
                try await fixture.refusal(
                    "select jobrunner.set_secret('zeta', null, 'token', \(sealed()))") == "JR019")
            #expect(try await fixture.texts("select name from jobrunner.secrets") == [])
        }
    }
}
