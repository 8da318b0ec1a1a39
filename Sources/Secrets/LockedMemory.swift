import CSodium
import Glibc
import Synchronization

/// Memory that is never written to swap, handed out in pieces; a piece that is given back is zeros.
///
/// A secret is small, and the system locks whole pages: a page that two secrets share must stay locked when one of them
/// goes. So pages are locked once and for ever, and their pieces used again.
final class LockedMemory: Sendable {
    static let shared = LockedMemory()

    private static let pieceMin = 32
    private static let pieceMax = 4096
    /// Pieces of one size are cut from so many bytes at a time.
    private static let chunkBytes = 16 * 1024

    private struct State {
        /// Addresses of free pieces, by their size.
        var free: [Int: [UInt]] = [:]
        var isRefused = false
    }

    private let state = Mutex(State())

    /// The system would not lock some of it: its limit (`ulimit -l`) is too low.
    var isRefused: Bool { state.withLock { $0.isRefused } }

    /// Zeros, of at least so many bytes.
    func take(_ count: Int) -> UnsafeMutablePointer<UInt8> {
        let size = Self.pieceSize(count)
        let address = state.withLock { state in
            if state.free[size, default: []].isEmpty {
                let (chunk, isLocked) = Self.makeChunk(max(size, Self.chunkBytes))
                if !isLocked { state.isRefused = true }
                guard size <= Self.pieceMax else { return chunk }
                state.free[size] = stride(from: 0, to: Self.chunkBytes, by: size).map {
                    chunk + UInt($0)
                }
            }
            return state.free[size]?.popLast() ?? 0
        }
        guard let start = UnsafeMutablePointer<UInt8>(bitPattern: address) else {
            fatalError("no memory for a secret")
        }
        return start
    }

    /// Takes back what `take` gave for that count.
    func giveBack(_ start: UnsafeMutablePointer<UInt8>, _ count: Int) {
        let size = Self.pieceSize(count)
        guard size <= Self.pieceMax else {
            sodium_munlock(start, size)
            return free(start)
        }
        sodium_memzero(start, size)
        let address = UInt(bitPattern: start)
        state.withLock { $0.free[size, default: []].append(address) }
    }

    /// The next power of two; whole pages for what is larger than any piece.
    private static func pieceSize(_ count: Int) -> Int {
        guard count <= pieceMax else { return (count + pieceMax - 1) / pieceMax * pieceMax }
        var size = pieceMin
        while size < count { size *= 2 }
        return size
    }

    private static func makeChunk(_ size: Int) -> (address: UInt, isLocked: Bool) {
        guard let start = aligned_alloc(pieceMax, size) else { return (0, false) }
        start.initializeMemory(as: UInt8.self, repeating: 0, count: size)
        return (UInt(bitPattern: start), sodium_mlock(start, size) == 0)
    }
}
