import Glibc

/// Finds what is set, and where.
struct SettingReader {
    /// Where a value came from.
    enum Origin: Equatable {
        case environment
        case file(String)
        case credential
        case settingsFile(String)
        case logLevel

        /// For people.
        var words: String {
            switch self {
            case .environment: "environment"
            case .file(let path), .settingsFile(let path): "file \(path)"
            case .credential: "systemd's credentials"
            case .logLevel: "LOG_LEVEL"
            }
        }
    }

    /// What is set.
    struct Found: Equatable {
        var value: String
        var origin: Origin
    }

    /// A value that is read from a file has at most so many bytes.
    private static let valueMax = 64 << 10

    private let environment: (String) -> String?
    private let lines: [String: String]
    private let path: String?
    /// systemd's folder of credentials; nil when there is none.
    let credentials: String?

    /// Throws `Failure` when the settings' file can't be read, or a line of it is none.
    init(environment: @escaping (String) -> String?) throws(Failure) {
        let set = { (name: String) in environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        self.environment = set
        path = set(Setting.settingsFile.rawValue)
        credentials = set("CREDENTIALS_DIRECTORY")
        lines = if let path { try Self.lines(ofFile: path, credentials) } else { [:] }
    }

    /// Nil when it is set nowhere; an empty value is as good as none.
    func find(_ setting: Setting) throws(Failure) -> Found? {
        let name = setting.rawValue
        if let value = environment(name) { return Found(value: value, origin: .environment) }
        // What names the file is not in it, nor in another.
        if setting == .settingsFile { return nil }
        if !setting.isPath, let file = environment(name + "_FILE") {
            return Found(value: try text(ofFile: file, of: setting), origin: .file(file))
        }
        if let folder = credentials {
            let file = "\(folder)/\(setting.credential)"
            if access(file, F_OK) == 0 {
                return Found(
                    value: setting.isPath ? file : try text(ofFile: file, of: setting),
                    origin: .credential)
            }
        }
        if let path, let value = lines[name] {
            return Found(value: value, origin: .settingsFile(path))
        }
        // Set for many programs at once, so that a word which is none of ours is no mistake.
        if setting == .logLevel, let word = environment("LOG_LEVEL"), LogLevelWord(word) != nil {
            return Found(value: word, origin: .logLevel)
        }
        return nil
    }

    private func text(ofFile path: String, of setting: Setting) throws(Failure) -> String {
        let bytes =
            setting.isSecret
            ? try readSecretFile(
                path, limit: Self.valueMax, credentials: credentials, unfit: .configuration)
            : try readFile(path, limit: Self.valueMax)
        let text = String(decoding: bytes, as: UTF8.self)
        return String(text.trimmingLineEnd)
    }

    /// A file with a secret in it must be as one.
    private static func lines(
        ofFile path: String, _ credentials: String?
    ) throws(Failure) -> [String: String] {
        var unfit: Failure?
        let bytes = try readFile(path, limit: valueMax) { descriptor, path in
            unfit = unfitness(descriptor, path, credentials: credentials, .configuration)
        }
        var found: [String: String] = [:]
        let known = Set(Setting.allCases.map(\.rawValue))
        let text = String(decoding: bytes, as: UTF8.self)
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            let words = line.trimmingLineEnd
            if words.isEmpty || words.hasPrefix("#") { continue }
            let parts = words.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, known.contains(String(parts[0])) else {
                throw Failure(
                    .configuration,
                    "\(path):\(number + 1): expected NAME=value, with one of \(known.sorted().joined(separator: ", "))"
                )
            }
            found[String(parts[0])] = parts[1].isEmpty ? nil : String(parts[1])
        }
        let holdsSecret = Setting.allCases.contains { $0.isSecret && found[$0.rawValue] != nil }
        if holdsSecret, let unfit { throw unfit }
        return found
    }
}

/// A level of swift-log, and ours that is nearest.
struct LogLevelWord {
    let word: String

    init?(_ text: String) {
        switch text.lowercased() {
        case "trace", "debug": word = "debug"
        case "info", "notice": word = "info"
        case "warning": word = "warning"
        case "error", "critical": word = "error"
        default: return nil
        }
    }
}

extension StringProtocol {
    /// Without the line's end and blanks around.
    fileprivate var trimmingLineEnd: SubSequence {
        let isBlank = { (character: Character) in character.isWhitespace }
        guard let first = firstIndex(where: { !isBlank($0) }),
            let last = lastIndex(where: { !isBlank($0) })
        else { return self[startIndex..<startIndex] }
        return self[first...last]
    }
}
