import Asking
import HTTP
import JSON
import JobQueue
import Reading

/// Fetches the long texts of an answer, which are then read with it.
struct AssetDownloads {
    private let context: RunContext

    init(for context: RunContext) { self.context = context }

    /// The answer with its texts, and what counts their bodies among what this worker holds.
    ///
    /// Throws `RunEnd` for a failure that may pass: the answer is asked for again.
    func whole(
        _ unread: AssetTexts
    ) async throws -> (document: JSONDocument, holds: [BodyHold]) {
        var texts = unread
        var holds: [BodyHold] = []
        while let asset = texts.next {
            switch try await context.session.download(asset.address) {
            case .came(let response):
                texts.take(response.body, isIntact: isIntact(response.body, asset))
                holds += [response.hold].compactMap(\.self)
            case .refused(let reason): texts.giveUp(reason)
            }
        }
        guard let document = try? JSONDocument(parsing: texts.wholePage) else {
            throw RunEnd.failed(.malformed, "the page can't be read with its long texts")
        }
        return (document, holds)
    }

    private func isIntact(_ bytes: [UInt8], _ asset: Asset) -> Bool {
        guard let checksum = asset.checksum, let dialect = context.session.dialect else {
            return true
        }
        return dialect.mayBe(bytes, of: checksum)
    }
}
