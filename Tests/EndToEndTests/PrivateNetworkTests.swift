import FakeSource
import Foundation
import HTTP
import JSON
import TestSupport
import Testing

/// Sources of a private network, and the setting that names those which are meant.
@Suite struct PrivateNetworkTests {
    private static let setting = "JOBRUNNER_PRIVATE_NETWORKS"

    @Test func `a source of a network that nothing names is not asked, and the run says why`()
        async throws
    {
        try await Installation.withSource { installation, source in
            let ran = try await installation.run("worker --drain", [Self.setting: ""])
            #expect(ran.code == 0, "\(ran.errors)")
            let error = try await installation.value("select error from jobrunner.runs")
            #expect(
                error.contains("127.0.0.1 is refused (Loopback)") && error.contains(Self.setting),
                "\(error)")
            #expect(
                try await installation.value("select error_kind from jobrunner.runs") == "rejected")
            let dry = try await installation.run(
                "dry-run demo.items --tenant acme --user ann", [Self.setting: "10.0.0.0/8"])
            #expect(
                dry.code == 1 && dry.output.contains("(Loopback)"), "\(dry.output)\(dry.errors)")
            let tested = try await installation.run(
                "test demo.items --set demo_id=user-000001", [Self.setting: ""])
            #expect(tested.code != 0, "\(tested.output)\(tested.errors)")
            #expect(try await requests(to: source) == 0)
        }
    }

    @Test(arguments: [
        "worker --drain", "dry-run demo.items --tenant acme --user ann",
        "test demo.items --set demo_id=user-000001",
    ])
    func `a wrong network is one line, and nothing is asked`(_ command: String) async throws {
        try await Installation.withSource { installation, _ in
            let ran = try await installation.run(command, [Self.setting: "10.0.0.0/8, 10.0.0.1/8"])
            let name = command.prefix { $0 != " " }
            #expect(ran.code == 78 && ran.output == "")
            #expect(
                ran.errorLines == [
                    "jobrunner \(name): \(Self.setting): \"10.0.0.1/8\" is no network; expected an address and its bits,"
                        + " such as 10.20.0.0/16 or fd00::/8, without bits beyond these"
                ])
        }
    }

    /// How many questions the source has noted.
    private func requests(to source: FakeSourceServer) async throws -> Int? {
        let client = HTTPClient(userAgent: "test")
        defer { client.close() }
        let url = "http://127.0.0.1:\(source.port)/_control/log"
        let response = try await client.send(HTTPRequest(url: url), deadline: .now + .seconds(10))
        return try JSONDocument(parsing: response.body).root.value?["entries"]?.elements?.count
    }
}
