import Asking
import JobQueue

extension PageCommit {
    /// A checkpoint's texts may each be so long: a longer one fits into no request anyway, and each
    /// claim of the job would read it.
    private static let textBytesMax = 16 << 10

    /// Throws `RunEnd` malformed for a position of the source's that holds a secret of the run.
    func checkHoldNone(_ credentials: Credentials) throws {
        let texts = [
            ("the position of the next page", position.cursor),
            ("the position that the next pass begins at", position.syncToken),
            ("the watermark", position.partialWatermark), ("the watermark", position.watermark),
            ("the answer to the probe", position.passProbe),
        ]
        for (place, text) in texts { try credentials.checkHoldNone(text, place) }
    }

    /// Throws `RunEnd` malformed for what a source wants remembered and nobody could.
    func checkLengths() throws {
        let texts = [
            ("cursor", position.cursor), ("sync token", position.syncToken),
            ("watermark", position.partialWatermark), ("watermark", position.watermark),
            ("answer to the probe", position.passProbe),
        ]
        for (name, text) in texts {
            guard let count = text?.utf8.count, count > Self.textBytesMax else { continue }
            throw RunEnd.failed(
                .malformed,
                "the source's \(name) is \(count) bytes long, expected at most \(Self.textBytesMax)"
            )
        }
    }
}
