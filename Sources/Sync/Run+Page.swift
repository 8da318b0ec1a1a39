import HTTP
import JSON
import JobFile
import Queue
import Telemetry

/// One page as it came: records to write, and where the pass goes on.
struct FetchedPage {
    var batch: RecordBatch
    var next: NextPosition
    /// The source said that nothing has changed since the last pass (304).
    var isUnmodified = false
    /// Stands for the records it shows, where the source might show the same ones again and again.
    var keys: Int?
    /// Counts the page among what this worker holds.
    var hold: BodyHold?
}

/// Thrown where the source has refused the stored position for good.
struct PositionLost: Error {
    /// How the run ends where the pass was begun anew already.
    let end: RunEnd
}

// One page: asked for, judged, read.
extension Run {
    /// Asks for the page after the checkpoint and reads it whole.
    func fetch(
        _ entity: Entity, _ pass: inout PassState, _ reader: RecordReader,
        _ recovery: inout RecoveryCounts
    ) async throws -> FetchedPage {
        recovery.beginPage()
        while true {
            let answer = try await ask(entity, pass)
            if answer.response.status == 304, entity.isConditional, pass.isAtStart {
                let next = NextPosition(next: nil, reached: pass.syncToken)
                return FetchedPage(batch: RecordBatch(entity), next: next, isUnmodified: true)
            }
            if answer.failure == nil, (200..<300).contains(answer.response.status) {
                if entity.isConditional, pass.isAtStart { pass.validator = validator(of: answer) }
                return try read(answer, entity, pass, reader)
            }
            if isRefusedCursor(answer), pass.fallBackToPartialWatermark(entity) { continue }
            if let refusal = refusal(of: pass, answer, entity) { throw refusal }
            let follows = try await recover(
                entity, from: answer, &recovery, mayEndPass: !pass.isAtStart)
            if follows == .endPass {
                return FetchedPage(batch: RecordBatch(entity), next: NextPosition())
            }
        }
    }

    /// Why the pass can't go on at a position that the source has given and now refuses; nil: the
    /// answer is not of that kind.
    ///
    /// Once may be an accident. Refused in two runs in a row, the stored position is of no use any more
    /// (0023): `PositionLost`.
    private func refusal(of pass: PassState, _ answer: Answer, _ entity: Entity) -> (any Error)? {
        guard pass.isBeyondBeginning(of: entity),
            !entity.recover.contains(where: { $0.isFor(answer) }),
            case .failed(let word, let message) = unexpected(answer, entity.request.method),
            word == ErrorKind.rejected.rawValue || isRefusedCursor(answer),
            (400..<500).contains(answer.response.status)
        else { return nil }
        let stored = checkpoint(of: entity)
        let end = RunEnd.failed(.cursorRefused, "\(message) (where the pass goes on)")
        let isSecond =
            stored.isCursorRefused && pass.position == (stored.cursor ?? stored.syncToken)
        return isSecond ? PositionLost(end: end) : end
    }

    /// A marker is not promised to live long: one of an earlier run may be refused.
    private func isRefusedCursor(_ answer: Answer) -> Bool {
        entityPages == 0 && (answer.failure?.code == "BAD_REQUEST" || answer.response.status == 400)
    }

    private func ask(_ entity: Entity, _ pass: PassState) async throws -> Answer {
        values.since = pass.since.map(plainValue)
        values.pageSize = entity.page.size
        values.chunk = chunks[entity.name]
        values.pageToken = nil
        if entity.page.continuesByAddress, let url = pass.position {
            return try await exchange(entity.request, retries: true, to: try sameOrigin(url))
        }
        // A preset's tokens are texts, whatever they look like.
        values.pageToken =
            entity.cloudkit == nil
            ? pass.tokenValue(entity.page) : pass.position.map(JSONValue.string)
        let validator = entity.isConditional && pass.isAtStart ? pass.validator : nil
        return try await exchange(entity.request, retries: true, validator: validator)
    }

    /// Asks the probe; the text stands for what it answered.
    func ask(_ probe: Probe, of entity: Entity) async throws -> String {
        values.pageSize = 1
        let answer = try await exchange(probe.request, retries: true)
        guard answer.failure == nil, (200..<300).contains(answer.response.status) else {
            throw unexpected(answer, probe.request.method)
        }
        let root = try document(of: answer).root
        return JSONValue.array(
            probe.skipIfSame.map { $0.first(in: root)?.value ?? .null }
        ).text
    }

    /// A stored address must still lead to the source: its base may have been changed since.
    private func sameOrigin(_ url: String) throws -> String {
        let base = inputs.base ?? inputs.file.source.base
        guard Origin(url: url) == Origin(url: base) else {
            throw RunEnd.failed(
                .rejected, "the stored next page is on another origin than the source")
        }
        return url
    }

    private func read(
        _ answer: Answer, _ entity: Entity, _ pass: PassState, _ reader: RecordReader
    ) throws -> FetchedPage {
        let document = try document(of: answer)
        var batch = try reader.read(document.root)
        batch.failures = batch.failures.map { $0.sanitised(redactor) }
        for type in batch.foreignTypes.subtracting(toldTypes).sorted() {
            toldTypes.insert(type)
            services.log.emit(.recordsIgnored(subject, entity: entity.name, type: type))
        }
        if let misfit = batch.misfit { misfits[entity.name] = misfits[entity.name] ?? misfit }
        tellIncompatible(batch, of: entity)
        let facts = PageFacts(
            root: document.root, response: answer.response, url: answer.url,
            position: pass.position, recordCount: batch.counts.fetched,
            greatest: batch.greatestPosition?.watermarkText)
        let next = try entity.page.position(
            after: facts, signInName: inputs.file.source.auth.queryName)
        return FetchedPage(
            batch: batch, next: next,
            keys: entity.page.isCounted ? try reader.keysHash(document.root) : nil,
            hold: answer.response.hold)
    }

    func document(of answer: Answer) throws -> JSONDocument {
        if let document = answer.document { return document }
        do {
            return try JSONDocument(parsing: answer.response.body)
        } catch {
            throw RunEnd.failed(.malformed, "the page is not JSON: \(error)")
        }
    }
}

// What a conditional request sends back.
extension Run {
    /// `ETag`, `Last-Modified` and the address they belong to, one a line; nil: the answer has
    /// neither.
    private func validator(of answer: Answer) -> String? {
        let tag = sendable(answer.response.header("ETag"))
        let date = sendable(answer.response.header("Last-Modified"))
        guard !tag.isEmpty || !date.isEmpty else { return nil }
        return "\(tag)\n\(date)\n\(addressHash(answer.url))"
    }
}

/// The header fields for a stored validator, if it belongs to this very address.
func conditions(_ validator: String?, url: String) -> [HTTPHeader] {
    let lines = (validator ?? "").unicodeScalars.split(
        separator: "\n", omittingEmptySubsequences: false
    ).map(String.init)
    guard lines.count == 3, lines[2] == addressHash(url) else { return [] }
    return [("If-None-Match", lines[0]), ("If-Modified-Since", lines[1])].compactMap { name, line in
        let value = sendable(line)
        return value.isEmpty ? nil : HTTPHeader(name, value)
    }
}

/// A validator as it may be sent back; empty, as if there were none, where a control character or its
/// length would have the next request refused.
private func sendable(_ value: String?) -> String {
    guard let value, value.utf8.count <= 4 << 10,
        value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
    else { return "" }
    return value
}

/// Stands for an address, which may hold a sign-in and is not stored.
private func addressHash(_ url: String) -> String { stableHash(url) }

/// FNV-1a of 64 bits, in hexadecimal digits: the same in every process and version.
public func stableHash(_ text: String) -> String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    return String(hash, radix: 16)
}

extension Page {
    /// The next position is a whole address.
    var continuesByAddress: Bool {
        switch style {
        case .nextURL, .linkHeader: true
        default: false
        }
    }

    /// The next position is our own count, which a source may ignore.
    var isCounted: Bool {
        switch style {
        case .offset, .number: true
        default: false
        }
    }

    /// The field whose greatest value is the next position.
    var keysetField: String? {
        if case .keyset(.field(let name), _) = style { name } else { nil }
    }
}

extension Authentication {
    /// The query parameter that signs in, when one does.
    var queryName: String? {
        if case .query(let name, _) = self { name } else { nil }
    }
}
