import Foundation
import Testing

@testable import Basics

/// What a shell's line printed, given `input`.
private func shell(
    _ line: String, input: String = "", most: Int = 4096, within: Duration = .seconds(20)
) throws(ChildFailure) -> String {
    String(
        decoding: try runChild(
            ["/bin/sh", "-c", line], input: Array(input.utf8), outputMax: most,
            until: .now + within), as: UTF8.self)
}

private func reason(_ body: () throws(ChildFailure) -> String) -> String? {
    do throws(ChildFailure) {
        _ = try body()
        return nil
    } catch { return error.reason }
}

@Suite struct ChildProgramTests {
    @Test func `a program is given its input and heard to its end`() throws {
        #expect(try shell("tr a-z A-Z; echo done", input: "abc ") == "ABC done\n")
    }

    @Test func `a program that reads nothing is no fault`() throws {
        let input = String(repeating: "x", count: 1_000_000)
        for _ in 0..<20 { #expect(try shell("exec <&-; echo a", input: input) == "a\n") }
    }

    @Test func `a program that fails is told of by its end alone`() {
        #expect(
            reason { () throws(ChildFailure) in try shell("echo secret; exit 3") } == "ended with 3"
        )
        #expect(
            reason { () throws(ChildFailure) in try shell("kill -TERM $$") } == "died of signal 15")
        #expect(
            reason { () throws(ChildFailure) in
                String(
                    decoding: try runChild(
                        ["/no/such/program"], input: [], outputMax: 1, until: .now + .seconds(20)),
                    as: UTF8.self)
            } == "can't be started: no such file or directory")
    }

    @Test func `a program that prints too much is ended`() {
        #expect(
            reason { () throws(ChildFailure) in try shell("yes", most: 100_000) }
                == "printed more than 100000 bytes")
    }

    /// The second has let go of what it prints on, and goes on.
    @Test(arguments: ["sleep 600 & echo $$ > F; wait", "echo $$ > F; exec >&-; sleep 600"])
    func `a program that is not done in time is ended with what it has started`(
        line: String
    ) throws {
        let file = NSTemporaryDirectory() + "child-\(UUID().uuidString)"
        defer { unlink(file) }
        #expect(
            reason { () throws(ChildFailure) in
                try shell(line.replacing("F", with: file), within: .seconds(1))
            } == "is not done in time")
        let group = try #require(pid_t(try shell("cat \(file)").dropLast()))
        // What was ended may not have been reaped by the system's first process yet.
        #expect(try shell("ps -o stat= -g \(group) | grep -vc Z || true") == "0\n")
    }

    @Test func `a program inherits no connection, and no file but what it is given`() throws {
        let open = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(open) }
        // The list itself is read by a descriptor.
        #expect(try shell("ls /proc/$$/fd") == "0\n1\n2\n")
    }

    @Test func `a program is shown no way into the database, and all signals reach it`() async {
        await #expect(processExitsWith: .success) {
            setenv("PGPASSWORD", "secret", 1)
            setenv("DATABASE_URL_FILE", "/run/url", 1)
            setenv("VAULT_ADDR", "https://vault.example", 1)
            signal(SIGPIPE, SIG_IGN)
            let line =
                "env | grep -c -e ^PG -e ^DATABASE; echo $VAULT_ADDR"
            let isHidden = try shell(line) == "0\nhttps://vault.example\n"
            let end = reason { () throws(ChildFailure) in try shell("kill -PIPE $$; echo deaf") }
            exit(isHidden && end == "died of signal 13" ? 0 : 1)
        }
    }
}
