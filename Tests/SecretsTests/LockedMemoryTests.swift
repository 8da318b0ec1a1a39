import Glibc
import Testing

@testable import Secrets

private func lockedKiB() -> Int {
    guard let file = fopen("/proc/self/status", "r") else { return -1 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
        let words = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
            .split { $0 == " " || $0 == "\t" }
        if words.first == "VmLck:" { return Int(words[1]) ?? -1 }
    }
    return -1
}

@Suite struct LockedMemoryTests {
    @Test func `pieces of all sizes lie apart, and come back as zeros`() {
        let memory = LockedMemory()
        let counts = (0..<100).map { $0 * $0 }
        for round in 0..<3 {
            let pieces = counts.map { memory.take($0) }
            for (piece, count) in zip(pieces, counts) {
                #expect((0..<count).allSatisfy { piece[$0] == 0 })
                piece.update(repeating: UInt8(1 + round), count: count)
            }
            for (piece, count) in zip(pieces, counts) {
                #expect((0..<count).allSatisfy { piece[$0] == 1 + round })
                piece.update(repeating: 0, count: count)
                piece[max(0, count - 1)] = 7
            }
            for (piece, count) in zip(pieces, counts) { memory.giveBack(piece, count) }
        }
    }

    @Test func `a secret that could not be made gives its piece back once`() throws {
        struct Unmade: Error {}
        for _ in 0..<20 {
            #expect(throws: Unmade.self) {
                try SecretValue(count: 3000) { _ throws(Unmade) in throw Unmade() }
            }
        }
        let values = (0..<40).map { SecretValue([UInt8](repeating: UInt8($0), count: 3000)) }
        for (index, value) in values.enumerated() {
            #expect(value.withBytes { $0.allSatisfy { $0 == UInt8(index) } })
        }
    }

    @Test func `ten thousand keys of tenants are locked in less than half a megabyte`() async {
        await #expect(processExitsWith: .success) {
            let before = lockedKiB()
            let keys = (0..<10_000).map { _ in SecretValue([UInt8](repeating: 1, count: 32)) }
            let locked = lockedKiB() - before
            exit(
                keys.count == 10_000 && locked >= 312 && locked < 512 && SecretValue.areLocked
                    ? 0 : 1)
        }
    }

    @Test func `secrets that the system will not lock are kept all the same, and it is told`() async
    {
        await #expect(processExitsWith: .success) {
            // Root may lock as much as it likes.
            if geteuid() == 0 { setuid(65534) }
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            setrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit)
            let secret = SecretValue(Array("hunter2".utf8))
            exit(
                !SecretValue.areLocked && secret.withBytes { $0.elementsEqual("hunter2".utf8) }
                    ? 0 : 1)
        }
    }
}
