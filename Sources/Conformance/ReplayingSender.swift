public import Asking
import Glibc
public import HTTP
public import JobFiles
import JSON
import Synchronization
public import Telemetry

/// Answers from recordings instead of a source.
///
/// Equal requests are answered in the order they were recorded; after the last, the last again.
public final class ReplayingSender: Sender {
    private struct State {
        var answers: [String: [HTTPResponse]] = [:]
        var missing: String?
    }

    private let folder: String
    private let form: RecordingForm
    private let state: Mutex<State>

    /// Reads all recordings of a folder; throws `GuaranteeSuiteError`.
    public init(folder: String, of file: JobFile, _ redactor: Redactor) throws {
        self.folder = folder
        form = RecordingForm(file, redactor)
        var state = State()
        let names = try recordings(in: folder)
        guard !names.isEmpty else {
            throw GuaranteeSuiteError(cause: .recordings, message: "\(folder) holds no recording")
        }
        for name in names {
            let (key, response) = try recording("\(folder)/\(name)")
            state.answers[key, default: []].append(response)
        }
        self.state = Mutex(state)
    }

    /// Answers what was recorded; anything else is an invalid request.
    public func send(
        _ request: HTTPRequest, deadline: ContinuousClock.Instant
    ) async throws(HTTPError) -> HTTPResponse {
        let (method, path, body) = form.key(of: request)
        let key = joined(method, path, body)
        let answer = state.withLock { state -> HTTPResponse? in
            guard let answers = state.answers[key], let first = answers.first else {
                if state.missing == nil { state.missing = "\(method) \(path)" }
                return nil
            }
            if answers.count > 1 { state.answers[key] = Array(answers.dropFirst()) }
            return first
        }
        guard let answer else { throw .invalidRequest("it was not recorded") }
        return answer
    }

    /// Throws `GuaranteeSuiteError` when something was asked for that was not recorded.
    public func check() throws {
        guard let missing = state.withLock({ $0.missing }) else { return }
        throw GuaranteeSuiteError(
            cause: .recordings,
            message: "\(folder) has no answer to \(missing) with this body; record it again")
    }
}

private func joined(_ method: String, _ path: String, _ body: String) -> String {
    "\(method) \(path) \(body)"
}

private func recording(_ path: String) throws -> (key: String, HTTPResponse) {
    guard let handle = fopen(path, "re") else { throw recordingError(path, errno) }
    defer { fclose(handle) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
        let count = fread(&chunk, 1, chunk.count, handle)
        if count == 0 { break }
        bytes += chunk[..<count]
    }
    guard let root = (try? JSONDocument(parsing: bytes))?.root,
        let method = root["method"]?.string, let target = root["path"]?.string,
        let hash = root["request_body_hash"]?.string, let status = root["status"]?.int,
        let headers = root["headers"], let body = root["body"]?.string
    else {
        throw GuaranteeSuiteError(cause: .recordings, message: "\(path) is no recording")
    }
    let response = HTTPResponse(
        status: status,
        headers: headers.elements.compactMap { header in
            guard let name = header["name"]?.string, let value = header["value"]?.string else {
                return nil
            }
            return HTTPHeader(name, value)
        }, body: Array(body.utf8), wireBytes: body.utf8.count)
    return (joined(method, target, hash), response)
}
