import Basics
import Foundation
import Testing

@testable import Secrets

/// A folder of the test's own, removed at the end.
private final class Folder {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "key-file-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ content: [UInt8], mode: mode_t = 0o600) throws -> String {
        let path = self.path + "/key"
        try Data(content).write(to: URL(fileURLWithPath: path))
        try #require(chmod(path, mode) == 0)
        return path
    }
}

private let keyBytes = (0..<32).map { UInt8($0 * 8 + 3) }
private let hexKey = Hex.encode(keyBytes)
private let base64Key = Data(keyBytes).base64EncodedString()

private let goodContents: [String] = [
    hexKey, hexKey + "\n", hexKey + "\r\n", hexKey.uppercased(), base64Key, base64Key + "\n",
    base64Key.replacingOccurrences(of: "=", with: ""),
    base64Key.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_"),
]

private let badContents: [(String, String)] = [
    ("", "is empty"), ("\n", "is empty"), ("hello", "holds no key"),
    (String(hexKey.dropLast()), "holds no key"), (hexKey + "0", "holds no key"),
    (String(hexKey.dropLast(2)), "holds no key"), (hexKey + "\n\n", "holds no key in line 2"),
    (" " + hexKey, "holds no key"), (String(base64Key.dropLast(2)), "holds no key"),
    (base64Key + "AAAA", "holds no key"),
    (String(repeating: "a", count: 10_000), "holds no key"),
    (String(hexKey.dropLast()) + "g", "holds no key"),
]

private let badModes: [(mode_t, String)] = [
    (0o604, "0604"), (0o620, "0620"), (0o602, "0602"), (0o610, "0610"), (0o601, "0601"),
    (0o644, "0644"), (0o666, "0666"), (0o777, "0777"), (0o444, "0444"), (0o660, "0660"),
]

/// A group that no process of a test is in.
private let foreignGroup: gid_t = 4321

private func failure(_ body: () throws -> Void) -> String {
    do {
        try body()
        return "no error"
    } catch { return "\(error)" }
}

@Suite struct KeyFileTests {
    @Test(arguments: goodContents)
    func `a key is read from hex or base64`(content: String) throws {
        let folder = try Folder()
        let key = try KeyFile.load(try folder.file(Array(content.utf8))).newest
        #expect(key.value.withBytes { Array($0) } == keyBytes)
        #expect(key.id.count == 16)
    }

    @Test(arguments: badContents)
    func `anything else is refused in one line that doesn't repeat it`(
        content: String, reason: String
    ) throws {
        let folder = try Folder()
        let path = try folder.file(Array(content.utf8))
        #expect(
            failure { _ = try KeyFile.load(path) }
                == "key file \(path) \(reason); expected 32 bytes as 64 hex digits or in base64, a key a line, the newest last"
        )
    }

    @Test(arguments: [0o600, 0o400, 0o700, 0o500] as [mode_t])
    func `a file that only its owner can use is accepted`(mode: mode_t) throws {
        let folder = try Folder()
        let path = try folder.file(Array(hexKey.utf8), mode: mode)
        #expect(throws: Never.self) { try KeyFile.load(path) }
    }

    @Test(arguments: badModes)
    func `a file that others can use is refused with the chmod that helps`(
        mode: mode_t, written: String
    ) throws {
        let folder = try Folder()
        let path = try folder.file(Array(hexKey.utf8), mode: mode)
        #expect(
            failure { _ = try KeyFile.load(path) }
                == "key file \(path) has mode \(written), open to others than its owner; "
                + "expected 0600: chmod 600 \(path)")
    }

    @Test(
        .enabled(if: geteuid() == 0, "only root's files are mounted for others"),
        arguments: [0o440, 0o640] as [mode_t])
    func `a file that root has mounted is read by a group of this process, and by no other`(
        mode: mode_t
    ) throws {
        let folder = try Folder()
        let path = try folder.file(Array(hexKey.utf8), mode: mode)
        try #require(chown(path, 0, getegid()) == 0)
        #expect(throws: Never.self) { try KeyFile.load(path) }
        try #require(chown(path, 0, foreignGroup) == 0)
        #expect(failure { _ = try KeyFile.load(path) }.contains("open to others than its owner"))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a file to another group"))
    func `a credential of systemd's has an access list, which shows as a group's right`() throws {
        let folder = try Folder()
        let path = try folder.file(Array(hexKey.utf8), mode: 0o440)
        try #require(chown(path, 0, foreignGroup) == 0)
        #expect(throws: Never.self) { try KeyFile.load(path, credentials: folder.path) }
        // What only seems to lie there does not.
        let other = try Folder()
        let link = other.path + "/link"
        try #require(symlink(path, link) == 0)
        #expect(failure { _ = try KeyFile.load(link, credentials: other.path) }.contains("0440"))
        for mode in [0o444, 0o460, 0o450] as [mode_t] {
            try #require(chmod(path, mode) == 0)
            #expect(throws: SecretError.self) { try KeyFile.load(path, credentials: folder.path) }
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a file away"))
    func `a file of another user is refused`() throws {
        let folder = try Folder()
        let path = try folder.file(Array(hexKey.utf8))
        try #require(chown(path, 4321, 4321) == 0)
        #expect(
            failure { _ = try KeyFile.load(path) }
                == "key file \(path) belongs to user 4321; expected user 0 or root: chown 0 \(path)"
        )
    }

    @Test func `what is not a regular file is refused without waiting`() throws {
        let folder = try Folder()
        let pipe = folder.path + "/pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        #expect(failure { _ = try KeyFile.load(pipe) } == "key file \(pipe) is not a regular file")
        #expect(
            failure { _ = try KeyFile.load(folder.path) }
                == "key file \(folder.path) is not a regular file")
        #expect(
            failure { _ = try KeyFile.load(folder.path + "/none") }
                == "key file \(folder.path)/none: no such file or directory")
    }

    @Test func `a link is followed, and its target checked`() throws {
        let folder = try Folder()
        let path = try folder.file(Array(hexKey.utf8))
        let link = folder.path + "/link"
        try #require(symlink(path, link) == 0)
        #expect(throws: Never.self) { try KeyFile.load(link) }
        try #require(chmod(path, 0o644) == 0)
        #expect(failure { _ = try KeyFile.load(link) }.contains("0644"))
    }
}
