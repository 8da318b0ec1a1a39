/// Why the suite could not be run at all.
public struct GuaranteeSuiteError: Error {
    /// Where the fault lies.
    public enum Cause: Sendable {
        /// The source does not answer, or wants patience.
        case sourceIsAway
        /// The job can't be run as it was asked for: an attribute, a secret or the file is wrong.
        case jobDoesNotRun
        /// Recordings can't be read, or lack a request.
        case recordings
    }
    /// Where the fault lies.
    public var cause: Cause
    /// For people; holds no secret.
    public var message: String
}
