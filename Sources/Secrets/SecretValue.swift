/// A secret in clear: never printed, never encoded, not written to swap, overwritten with zeros when the last user lets go.
///
/// `@unchecked Sendable` is safe: the memory is written before `init` returns and not again until
/// nobody holds the value.
public final class SecretValue: @unchecked Sendable {
    /// Never moved; of the secret's length or longer.
    let start: UnsafeMutablePointer<UInt8>
    /// Length in bytes.
    public let count: Int

    /// Copies the bytes; the caller's own copy stays the caller's to erase.
    public convenience init(_ bytes: some Collection<UInt8>) {
        self.init(count: bytes.count) { start in
            _ = UnsafeMutableBufferPointer(start: start, count: bytes.count).update(from: bytes)
        }
    }

    /// Lets `fill` write `count` bytes in place, so that no other copy ever exists.
    init<Failure: Error>(
        count: Int, fill: (UnsafeMutablePointer<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        self.count = count
        start = LockedMemory.shared.take(count)
        // Where this throws, `deinit` gives the piece back.
        try fill(start)
    }

    deinit { LockedMemory.shared.giveBack(start, count) }

    /// All secrets that there have been so far are out of swap's reach; false where the system's limit is too low.
    public static var areLocked: Bool { !LockedMemory.shared.isRefused }

    /// Lends the bytes; the pointer is void after `body`, and what `body` copies is its to protect.
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(start: start, count: count))
    }
}

extension SecretValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `•••`.
    public var description: String { "•••" }
    /// Always `•••`.
    public var debugDescription: String { "•••" }
    /// Has no children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
