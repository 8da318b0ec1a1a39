import Glibc
import JSON

/// What `jobrunner bench` was asked for.
public struct BenchWishes: Sendable {
    /// Names or numbers; none: all.
    public var names: [String] = []
    /// The long forms.
    public var isFull = false
    /// Rounds instead of each benchmark's usual number.
    public var rounds: Int?
    /// Folder of the report; nil: a new one under `.build/bench`.
    public var folder: String?
    /// Markdown file that is brought up to date too, with a chart and the raw numbers beside it.
    public var report: String?

    /// Wishes for nothing in particular.
    public init() {}
}

/// Why nothing was measured at all; one line.
public struct BenchRefusal: Error, CustomStringConvertible {
    /// What is wrong, and what would be right.
    public let description: String
}

/// The benchmarks and what runs them, one after the other.
public enum Bench {
    private static let roundsUsual = (short: 3, full: 5)

    /// A line for each benchmark: number, name, sentence.
    public static var lines: [String] {
        allBenchmarks.map { "\($0.number)  \($0.name): \($0.sentence)" }
    }

    /// Runs what is wished and writes the reports; false when a benchmark could not be run.
    ///
    /// Wants the root of the repository as its folder. `tell` gets lines about the progress.
    /// Throws `BenchRefusal`, or `CancellationError` when its task is cancelled, after all that was
    /// started has been stopped.
    public static func run(
        _ wishes: BenchWishes, tell: @escaping @Sendable (String) -> Void
    ) async throws -> Bool {
        do {
            return try await Runner(wishes, tell: tell).run()
        } catch let error as BenchError {
            throw BenchRefusal(description: error.description)
        }
    }

    /// The benchmarks of some names or numbers; all for none.
    static func chosen(_ names: [String]) throws -> [Benchmark] {
        for name in names where !allBenchmarks.contains(where: { $0.isCalled(name) }) {
            throw BenchError(
                "no benchmark is called \(name); expected "
                    + allBenchmarks.map(\.name).joined(separator: ", "))
        }
        return allBenchmarks.filter { one in
            names.isEmpty || names.contains { one.isCalled($0) }
        }
    }

    static func roundCount(_ form: Form) -> Int {
        form == .short ? roundsUsual.short : roundsUsual.full
    }
}

extension Benchmark {
    fileprivate func isCalled(_ name: String) -> Bool { name == self.name || name == "\(number)" }
}
