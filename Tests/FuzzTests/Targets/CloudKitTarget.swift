import Asking
import HTTP
import JSON

@testable import CloudKit
@testable import JobFiles

extension FuzzTarget {
    private static let dialect = CloudKitDialect(
        address: CloudKitAddress(
            container: "iCloud.com.example.app", environment: .production, database: .private),
        authentication: .none)

    /// CloudKit's answers: what fails, what was looked up, and what each record is.
    static let cloudKit = FuzzTarget(name: "cloudkit") { bytes in
        var bytes = bytes
        let status = 200 + bytes.takeChoice() * 2 % 400
        let document = try? JSONDocument(parsing: bytes)
        let wait = document?.root["retryAfter"]?.string.map { HTTPHeader("Retry-After", $0) }
        let response = HTTPResponse(status: status, headers: [wait].compactMap(\.self), body: bytes)
        let request = HTTPRequest(url: "https://api.apple-cloudkit.com/database/1/x/records/query")
        if let failure = dialect.failure(in: response, document, to: request) {
            try expect(failure.wait.map { $0 >= .zero } ?? true, "a wait of \(failure)")
        }
        guard let document else { return }
        _ = dialect.lookedUp(document)
        for record in document.root["records"]?.elements.map({ $0 }) ?? [] {
            _ = dialect.number("count", of: record)
        }
    }
}
