/// What an operator sets of the log, by environment variables.
public struct LogSettings: Sendable, Equatable {
    /// How lines look.
    public var format: LineFormat
    /// The most verbose level that is written.
    public var level: Level

    /// Text at `info` unless told otherwise.
    public init(format: LineFormat = .text, level: Level = .info) {
        self.format = format
        self.level = level
    }

    /// Reads `JOBRUNNER_LOG` and `JOBRUNNER_LOG_LEVEL`; absent and empty ones keep the defaults.
    ///
    /// Throws a one-line error for a word that is none of the choices.
    public init(environment: [String: String]) throws(LogSettingError) {
        self.init(
            format: try Self.word("JOBRUNNER_LOG", of: environment) ?? .text,
            level: try Self.word("JOBRUNNER_LOG_LEVEL", of: environment) ?? .info)
    }

    private static func word<Word: RawRepresentable & CaseIterable>(
        _ name: String, of environment: [String: String]
    ) throws(LogSettingError) -> Word? where Word.RawValue == String {
        guard let value = environment[name], !value.isEmpty else { return nil }
        guard let word = Word(rawValue: value) else {
            throw LogSettingError(
                variable: name, value: value, choices: Word.allCases.map(\.rawValue))
        }
        return word
    }
}

/// A log setting with a word that is none of its choices.
public struct LogSettingError: Error, Equatable, CustomStringConvertible {
    /// Name of the environment variable.
    public let variable: String
    /// What it was set to.
    public let value: String
    /// What it may be set to.
    public let choices: [String]

    /// One line saying what is wrong and what would be right.
    public var description: String {
        let value = Escaping.escaped(value, limit: 100)
        return "\(variable) is \"\(value)\"; expected \(choices.joined(separator: " or "))"
    }
}
