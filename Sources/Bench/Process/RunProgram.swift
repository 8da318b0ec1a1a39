import Glibc

/// Runs a program to its end and returns what it printed; throws `BenchError` unless it ends with 0.
func runProgram(
    _ program: String, _ arguments: [String], environment: [String: String] = [:],
    in folder: String, began: (ChildProcess) -> Void = { _ in }
) async throws -> String {
    let base = "\(folder)/run-\(String(UInt32.random(in: 0 ... .max), radix: 36))"
    defer { for end in [".out", ".err"] { unlink(base + end) } }
    let child = try ChildProcess(
        program, arguments, environment: environment, output: base + ".out", errors: base + ".err")
    began(child)
    let ended = await child.wait()
    try Task.checkCancellation()
    guard ended.code == 0 else {
        let words = try readFile(base + ".err").split(separator: "\n").suffix(3)
        let name = program.split(separator: "/").last ?? ""
        throw BenchError(
            "\(name) \(arguments.first ?? "") ended with \(ended.code): "
                + words.joined(separator: " · "))
    }
    return try readFile(base + ".out")
}
