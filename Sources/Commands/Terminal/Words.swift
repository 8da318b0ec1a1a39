import Glibc
import Telemetry

/// `1 job`, `2 jobs`.
func counted(_ count: Int, _ noun: String) -> String {
    if count == 1 { return "1 \(noun)" }
    return "\(count) \(noun.hasSuffix("y") ? noun.dropLast() + "ie" : noun)s"
}

/// A span in a few words, as `jobrunner.words_for` has them; a short one with a decimal.
func spanWords(seconds: Double) -> String {
    switch seconds {
    case ..<10: "\((max(0, seconds) * 10).rounded() / 10) s"
    case ..<120: "\(Int(seconds.rounded())) s"
    case ..<7200: "\(Int((seconds / 60).rounded())) min"
    case ..<172_800: "\(Int((seconds / 3600).rounded())) h"
    default: "\(Int((seconds / 86_400).rounded())) days"
    }
}

/// An ISO 8601 time to the second, with a space between date and time; whatever follows it is left out.
func secondWords(_ time: String) -> String { String(time.prefix(19).map { $0 == "T" ? " " : $0 }) }

/// A time of the database's in words; its sessions are in UTC, whatever zone a person is in.
func timeWords(_ time: String) -> String { secondWords(time) + " UTC" }

/// One line with its end, safe for a terminal.
func readableLine(_ text: String) -> String { Escaping.readable(text) + "\n" }

/// The key under which a tenant's own jobs stand.
let tenantsOwnKey = "*"

/// Whose jobs: `user ann`, `tenant acme` for its own, or `every user of tenant acme`.
func whose(_ user: String?, of tenant: String) -> String {
    switch user {
    case tenantsOwnKey: "tenant \(tenant)"
    case let user?: "user \(user)"
    case nil: "every user of tenant \(tenant)"
    }
}

/// What the system says of an error number.
func systemMessage(_ number: Int32) -> String { String(cString: strerror(number)) }
