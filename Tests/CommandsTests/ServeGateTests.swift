import Serving
import Testing

@testable import Commands

/// Who is answered where several addresses lead to one program.
@Suite struct ServeGateTests {
    private func status(
        host: String, from peer: String, at own: String, _ environment: [String: String]
    ) throws -> Int {
        let settings = try Settings { environment[$0] }
        let address = try #require(ListenAddress("0.0.0.0:9464"))
        let request = ServedRequest(
            path: "/metrics", headers: [("host", host)], peer: peer, own: own)
        return try ServeGate(settings, address).refusal(of: request)?.status ?? 200
    }

    @Test func `a proxy says once who signs in, and of two who do nobody is believed`() throws {
        let settings = try Settings {
            [
                "JOBRUNNER_SERVE_PROXY_HEADER": "X-Remote-User",
                "JOBRUNNER_SERVE_TRUSTED": "10.0.0.0/24",
            ][$0]
        }
        let gate = try ServeGate(settings, try #require(ListenAddress("0.0.0.0:9464")))
        func admission(_ names: [String], from peer: String = "10.0.0.7") -> ServeGate.Admission {
            gate.admission(
                of: ServedRequest(
                    path: "/", headers: names.map { (name: "x-remote-user", value: $0) }, peer: peer
                ))
        }
        #expect(admission(["ann"]) == .admitted("ann"))
        for names in [[], [""], ["ann", "bob"], ["", "ann"]] {
            #expect(admission(names) == .stranger, "\(names)")
        }
        #expect(admission(["ann"], from: "10.0.1.7") == .stranger)
    }

    @Test func `the address that a connection came to is one of its names, and no other one is`()
        throws
    {
        let trusted = ["JOBRUNNER_SERVE_TRUSTED": "10.0.0.0/24"]
        for (host, wanted) in [
            ("10.0.0.5", 200), ("10.0.0.5:9464", 200), ("10.0.0.6", 421), ("0.0.0.0", 200),
            ("10.0.0.5.evil.example", 421),
        ] {
            #expect(
                try status(host: host, from: "10.0.0.7", at: "10.0.0.5", trusted) == wanted,
                "\(host)")
        }
        #expect(try status(host: "10.0.0.5", from: "10.0.1.7", at: "10.0.0.5", trusted) == 401)
        #expect(try status(host: "10.0.0.5", from: "127.0.0.1", at: "10.0.0.5", trusted) == 401)
    }
}
