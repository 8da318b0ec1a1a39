/// Packages of PyPI in a folder of their own, for yardsticks that are written in Python.
struct PythonPackages: Sendable {
    /// The interpreter that finds them.
    let python: String

    /// Installs them when they are missing, which takes a minute and the network; nil when they can't be.
    ///
    /// `name` holds the versions, since the folder is kept from one measurement to the next.
    static func installed(
        _ context: BenchmarkContext, as name: String, _ requirements: [String]
    ) async throws -> PythonPackages? {
        let folder = ".build/bench/\(name)"
        let python = "\(folder)/bin/python"
        if !fileExists("\(folder)/installed") {
            context.say("installing \(requirements.joined(separator: ", ")) in \(folder)")
            do {
                try await context.run("python3", ["-m", "venv", folder])
                try await context.run(
                    python, ["-m", "pip", "install", "--quiet"] + requirements)
                try writeFile("\(folder)/installed", "")
            } catch let error as BenchError {
                try Task.checkCancellation()
                context.measurements.remark("\(name) could not be installed: \(error)")
                return nil
            }
        }
        return PythonPackages(python: python)
    }
}
