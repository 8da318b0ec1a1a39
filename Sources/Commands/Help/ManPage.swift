/// The manual page in roff, with the macros of man(7), made of the declarations that the help is made of.
struct ManPage {
    let commands: [CommandSpec]
    let version: String

    var text: String {
        var lines = [
            ".\\\" Made by: jobrunner man",
            ".TH JOBRUNNER 1 \"\" \"jobrunner \(roff(version))\" \"jobrunner\"",
            ".SH NAME",
            "jobrunner \\- runs the sync jobs of many tenants\\(aq users from PostgreSQL",
            ".SH SYNOPSIS", ".B jobrunner", ".I COMMAND", "[\\fIARGUMENT\\fR]\\[u2026]", ".br",
            ".B jobrunner help", "[\\fICOMMAND\\fR]", ".br", ".B jobrunner \\-\\-version",
            ".SH COMMANDS",
        ]
        for command in commands { lines += section(command) }
        lines += [".SH ENVIRONMENT"] + generalSettings.flatMap { item($0.0, $0.1) }
        lines += [
            ".PP", "Each may also stand in the file that JOBRUNNER_SETTINGS names.",
            "A name in brackets behind an option is that of a setting, which holds where the option is not given.",
        ]
        lines += [".SH EXIT STATUS"] + exitCodes.flatMap { item($0.0, $0.1) }
        return lines.map { $0 + "\n" }.joined()
    }

    private func section(_ command: CommandSpec) -> [String] {
        var lines = [".SS jobrunner \(roff(command.name))", roff(command.summary) + "."]
        lines += [".PP", "Usage:", line(command.usage)]
        for positional in command.positionals { lines += item(positional.name, positional.help) }
        for option in command.options { lines += item(option.usage, option.fullHelp) }
        return lines + [".PP", "Example:", line(command.example)]
    }

    private func item(_ term: String, _ text: String) -> [String] {
        [".TP", "\\fB\(roff(term))\\fR", roff(text)]
    }

    /// A command line stands by itself and is broken where the page ends, never within a word.
    private func line(_ text: String) -> String { ".br\n" + roff(text) }

    /// Text that roff prints as it is: no command, no escape, and hyphens that can be copied into a shell.
    private func roff(_ text: String) -> String {
        let escapes: [Unicode.Scalar: String] = [
            "\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti",
        ]
        let escaped = text.unicodeScalars.map { scalar in
            if let escape = escapes[scalar] { return escape }
            let number = String(scalar.value, radix: 16, uppercase: true)
            return scalar.isASCII
                ? String(scalar)
                : "\\[u\(String(repeating: "0", count: max(0, 4 - number.count)))\(number)]"
        }.joined()
        return escaped.hasPrefix(".") ? "\\&" + escaped : escaped
    }
}
