import Basics
import Foundation
import Testing

@testable import Secrets

/// A folder with a program `keys` and whatever else a test puts there.
private struct Programs: ~Copyable {
    let path = NSTemporaryDirectory() + "keys-\(UUID().uuidString)"

    init(keys: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try put("keys", keys)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Whoever writes a program must have let go of it when it is called, and so must who was started meanwhile: another
    /// process writes it.
    func put(_ name: String, _ text: String) throws {
        let line = "cat > \(path)/\(name); chmod 700 \(path)/\(name)"
        _ = try runChild(
            ["/bin/sh", "-c", line], input: Array(text.utf8), outputMax: 0,
            until: .now + .seconds(20))
    }

    var command: KeyCommand { KeyCommand("\(path)/keys") }
}

@Suite struct KeyCommandTests {
    private let id: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 0xff]

    /// Those of secrets managers answer as its program does, as far as the page's lines use it.
    @Test func `the program of the manual keeps keys, and tells a missing one from silence`() throws
    {
        let page = try String(
            contentsOfFile: #filePath.replacing(
                "Tests/SecretsTests/KeyCommandTests.swift", with: "docs/operating/upkeep.md"),
            encoding: .utf8)
        let block = try #require(page.split(separator: "<!-- key command -->\n```sh\n").last)
        let script = try #require(block.split(separator: "\n```").first)
        let programs = try Programs(
            keys: script.replacing("set -eu", with: "set -eu; PATH=${0%/*}:$PATH") + "\n")
        try programs.put(
            "vault",
            """
            #!/bin/sh
            cd ${0%/*} && test ! -e sealed || exit 2
            for last; do :; done
            case "$1 $2 $3" in
              "kv get -field=key") cat "$(basename "$last").key" ;;
              "kv put secret/"*) test "$4" = key=- && cat > "$(basename "$3").key" ;;
              "kv metadata delete") rm -f "$(basename "$4").key" ;;
              "token lookup ") echo "id sealed" ;;
              *) exit 1 ;;
            esac
            """)
        let command = programs.command
        #expect(try command.read(id) == nil)
        try command.write([0xab, 0xcd], as: id)
        #expect(try command.read(id) == [0xab, 0xcd])
        try command.write([0xef], as: id)
        #expect(try command.read(id) == [0xef])
        try command.remove(id)
        try command.remove(id)
        #expect(try command.read(id) == nil)
        try programs.put("sealed", "")
        let failure = SecretError.keyCommand(
            program: "\(programs.path)/keys", verb: "read", reason: "ended with 2")
        #expect(throws: failure) { try command.read(id) }
    }

    @Test func `a program that prints no key gives one that unwraps nothing`() throws {
        let programs = try Programs(keys: "#!/bin/sh\necho no such key\n")
        let ring = KeyRing(try MasterKey.random())
        let keeper = KeyKeeper(ring: ring, outside: .command(programs.command))
        #expect(throws: SecretError.keyTampered(id: Hex.encode(id))) {
            try keeper.unwrap(id: id, wrapped: nil, wrappedBy: ring.newest.idBytes, tenant: 1)
        }
    }

    @Test func `nothing seals with a key that the program did not keep`() throws {
        let programs = try Programs(keys: "#!/bin/sh\nexit 1\n")
        let keeper = KeyKeeper(
            ring: KeyRing(try MasterKey.random()), outside: .command(programs.command))
        #expect(
            throws: SecretError.keyCommand(
                program: "\(programs.path)/keys", verb: "write", reason: "ended with 1")
        ) { try keeper.make(tenant: 1) }
    }
}
