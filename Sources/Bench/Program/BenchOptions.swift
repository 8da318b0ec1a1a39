/// What the benchmarks were asked for.
struct BenchOptions: Equatable {
    /// Names or numbers; none: all.
    var names: [String] = []
    /// The long forms.
    var isFull = false
    /// Rounds instead of each benchmark's usual number.
    var rounds: Int?
    /// Folder of the report; nil means a new one under `.build/bench`.
    var folder: String?
    /// Markdown file that is brought up to date too, with a chart and the raw numbers beside it.
    var report: String?

    /// The benchmarks that are meant.
    func chosen() throws -> [Benchmark] {
        for name in names where !allBenchmarks.contains(where: { $0.isCalled(name) }) {
            throw BenchError(
                "no benchmark is called \(name); expected "
                    + allBenchmarks.map(\.name).joined(separator: ", "))
        }
        return allBenchmarks.filter { one in
            names.isEmpty || names.contains { one.isCalled($0) }
        }
    }
}

extension Benchmark {
    fileprivate func isCalled(_ name: String) -> Bool { name == self.name || name == "\(number)" }
}

/// What the words of a command line ask for.
enum BenchCommand: Equatable {
    case help
    case list
    case run(BenchOptions)

    /// Throws `UsageError`.
    init(_ words: [String]) throws {
        var rest = words[...]
        var options = BenchOptions()
        var isAll = false
        while let word = rest.popFirst() {
            func value() throws -> String {
                guard let value = rest.popFirst() else { throw UsageError("\(word) needs a value") }
                return value
            }
            switch word {
            case "--help", "-h":
                self = .help
                return
            case "--list":
                self = .list
                return
            case "--all": isAll = true
            case "--full": options.isFull = true
            case "--rounds": options.rounds = try rounds(try value())
            case "--out": options.folder = try value()
            case "--report": options.report = try value()
            case _ where word.hasPrefix("-"):
                throw UsageError("unknown option \(word); --help lists them")
            default: options.names.append(word)
            }
        }
        guard options.names.isEmpty == isAll else {
            throw UsageError("expected names of benchmarks, or --all; --list tells them")
        }
        self = .run(options)
    }
}

/// Why a command line says nothing that could be done; one line.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

private func rounds(_ text: String) throws -> Int {
    // More say nothing new.
    let allowed = 1...100
    guard let count = Int(text), allowed.contains(count) else {
        throw UsageError(
            "--rounds is \(text); expected a whole number from \(allowed.lowerBound) to"
                + " \(allowed.upperBound)")
    }
    return count
}

extension BenchOptions {
    static let help = """
        jobrunner-bench NAME… | --all [--full] [--rounds N] [--out DIR] [--report FILE]

        Measures the jobrunner that was built beside it and yardsticks, in databases of its own; exit 1 if
        something could not be measured. Wants the root of the repository as its folder.

          NAME           name or number of a benchmark
          --all          every benchmark
          --full         the long forms, which take hours, instead of the short ones
          --rounds N     how often product and yardstick take turns
          --out DIR      where the report goes (a new folder under .build/bench)
          --report FILE  report that is brought up to date too, with chart and numbers beside it
          --list         only tell which benchmarks there are
        """
}
