public import Asking
import Glibc
public import HTTP
public import JobFiles
import JSON
import Synchronization
public import Telemetry

/// Writes every exchange into a file of its own, numbered in the order of the answers.
///
/// Signatures and sign-in parameters are left out, and secrets taken out of all else: those that were given by hand, and
/// the tokens that came last until then.
public final class RecordingSender: Sender {
    private let inner: any Sender
    private let folder: String
    private let form: RecordingForm
    /// The `Date` of every answer.
    ///
    /// A run's own time is the earlier one of its claim and its first answer. The claims are others when the recording is
    /// replayed, so that the answers must be earlier than any of them, also by a server's clock that is minutes behind.
    private let date: String
    private let state = Mutex(State())

    /// A source that replaces its token with each answer has thousands in a run; whatever it repeats is a late one.
    private static let gainedMax = 32

    private struct State {
        var count = 0
        /// The tokens that came last; in a source's answers any of them may be repeated.
        var gained: [[UInt8]] = []
        var redactor = Redactor(secrets: [])
        var errno: Int32 = 0
    }

    /// Makes the folder, or takes an empty one; throws `GuaranteeSuiteError`.
    public init(
        _ inner: any Sender, folder: String, of file: JobFile, _ redactor: Redactor
    ) throws {
        self.inner = inner
        self.folder = folder
        form = RecordingForm(file, redactor)
        date = HTTPDate.text(unixSeconds: time(nil) - 600)
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw recordingError(folder, errno)
        }
        guard try recordings(in: folder).isEmpty else {
            throw GuaranteeSuiteError(
                cause: .recordings, message: "\(folder) holds recordings already; expected none")
        }
    }

    /// Sends it, and writes down what was answered.
    public func send(
        _ request: HTTPRequest, deadline: ContinuousClock.Instant
    ) async throws(HTTPError) -> HTTPResponse {
        var response = try await inner.send(request, deadline: deadline)
        response.headers.removeAll { $0.name.lowercased() == "date" }
        response.headers.append(HTTPHeader("Date", date))
        let gained = form.gained(in: response, to: request)
        state.withLock { state in
            let new = gained.filter { !state.gained.contains($0) }
            if !new.isEmpty {
                state.gained = (state.gained + new).suffix(Self.gainedMax)
                state.redactor = Redactor(secrets: state.gained)
            }
            let text =
                form.kept(response, to: request, without: state.redactor).indentedText + "\n"
            state.count += 1
            let digits = String(state.count)
            let name = String(repeating: "0", count: max(0, 5 - digits.count)) + digits
            let number = write(Array(text.utf8), "\(folder)/\(name).json")
            if state.errno == 0 { state.errno = number }
        }
        return response
    }

    /// Throws `GuaranteeSuiteError` when a file could not be written.
    public func check() throws {
        let number = state.withLock { $0.errno }
        if number != 0 { throw recordingError(folder, number) }
    }
}

/// Returns an error number, or 0.
private func write(_ bytes: [UInt8], _ path: String) -> Int32 {
    // An answer may hold data of persons.
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { return errno }
    guard let handle = fdopen(file, "w") else {
        let number = errno
        close(file)
        return number
    }
    let count = fwrite(bytes, 1, bytes.count, handle)
    return fclose(handle) == 0 && count == bytes.count ? 0 : EIO
}
