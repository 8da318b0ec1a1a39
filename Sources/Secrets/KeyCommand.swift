import Basics

/// A program of the operator's that keeps wrapped keys of tenants elsewhere, such as in a secrets manager.
///
/// It is called with a verb and the key's id in hex. `read` prints the wrapped key in hex, or nothing where there is none;
/// `write` is given it on standard input; `remove` forgets it, and one that is not there is no mistake. Any other exit than
/// 0 is a failure, and so is silence for ten seconds. What it says on standard error goes where this process's does.
public struct KeyCommand: Sendable {
    private static let patience = Duration.seconds(10)
    private static let outputMax = 4096

    private let program: String

    /// The program's path; it is given no other arguments than verb and id.
    public init(_ program: String) { self.program = program }

    /// The wrapped key of that id; nil when there is none.
    ///
    /// Throws `keyCommand`.
    public func read(_ id: [UInt8]) throws(SecretError) -> [UInt8]? {
        let output = try call("read", id, input: [])
        let digits = output.filter { $0 > UInt8(ascii: " ") }
        return digits.isEmpty ? nil : Hex.decode(String(decoding: digits, as: UTF8.self)) ?? []
    }

    /// Keeps a wrapped key.
    ///
    /// Throws `keyCommand`.
    public func write(_ wrapped: [UInt8], as id: [UInt8]) throws(SecretError) {
        _ = try call("write", id, input: Hex.digits(of: wrapped) + [UInt8(ascii: "\n")])
    }

    /// Removes a key.
    ///
    /// Throws `keyCommand`.
    public func remove(_ id: [UInt8]) throws(SecretError) {
        _ = try call("remove", id, input: [])
    }

    private func call(
        _ verb: String, _ id: [UInt8], input: [UInt8]
    ) throws(SecretError) -> [UInt8] {
        do throws(ChildFailure) {
            return try runChild(
                [program, verb, Hex.encode(id)], input: input, outputMax: Self.outputMax,
                until: .now + Self.patience)
        } catch {
            throw .keyCommand(program: program, verb: verb, reason: error.reason)
        }
    }
}
