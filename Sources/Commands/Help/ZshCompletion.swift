/// What makes zsh complete command lines of `jobrunner`, made of the declarations that the help is made of.
struct ZshCompletion {
    let commands: [CommandSpec]

    var text: String {
        """
        #compdef jobrunner
        # Completion of jobrunner in zsh, made by: jobrunner completion zsh
        # It asks no database: what tenants, users and jobs there are it does not know.
        _jobrunner() {
            local -a choices
            local command="$words[2]"
            if (( CURRENT == 2 )); then
                choices=(
        \(described(FirstWord.all(commands).map { ($0.word, $0.summary) } + [("help", "Tell more of a command")]))
                )
                _describe command choices
                return
            fi
            case "$command" in
        \(groups)        (help)
                    choices=(\(FirstWord.all(commands).map(\.word).joined(separator: " ")))
                    (( CURRENT == 3 )) && _describe command choices
                    return
                    ;;
            esac
            # What _arguments sees begins with the last word of the command's name.
            if [[ "$command" == *' '* ]]; then
                words=("${(@)words[3,-1]}")
                (( CURRENT -= 2 ))
            else
                words=("${(@)words[2,-1]}")
                (( CURRENT -= 1 ))
            fi
            case "$command" in
        \(commands.map(arguments).joined())    esac
        }

        # Loaded by zsh itself it completes at once; sourced by a person it has to be made known.
        if [ "$funcstack[1]" = _jobrunner ]; then
            _jobrunner "$@"
        else
            compdef _jobrunner jobrunner
        fi

        """
    }

    private var groups: String {
        FirstWord.all(commands).filter { $0.command == nil }.map { group in
            """
                    (\(group.word))
                        if (( CURRENT == 3 )); then
                            choices=(
            \(described(group.members.map { ($0.words[1], $0.summary) }))
                            )
                            _describe command choices
                            return
                        fi
                        command="$command $words[3]"
                        ;;

            """
        }.joined()
    }

    private func described(_ rows: [(word: String, summary: String)]) -> String {
        rows.map { "                \(shellQuoted("\($0.word):\($0.summary)"))" }
            .joined(separator: "\n")
    }

    private func arguments(_ command: CommandSpec) -> String {
        var specs = command.options.map(spec) + ["--help[print what it does]"]
        for (place, positional) in command.positionals.enumerated() {
            let number = positional.count == .any ? "*" : "\(place + 1)"
            specs.append("\(number):\(escaped(positional.name)):\(action(positional.completable))")
        }
        let lines = specs.map { "                \(shellQuoted($0))" }.joined(separator: " \\\n")
        return
            "        (\(shellQuoted(command.name)))\n            _arguments \\\n\(lines)\n            ;;\n"
    }

    private func spec(_ option: OptionSpec) -> String {
        let start = "\(option.isRepeated ? "*" : "")--\(option.name)"
        let help = "[\(escaped(option.help))]"
        guard let placeholder = option.placeholder, let completable = option.completable else {
            return start + help
        }
        return "\(start)=\(help):\(escaped(placeholder)):\(action(completable))"
    }

    private func action(_ completable: Completable) -> String {
        switch completable {
        case .words(let words): "(\(words.joined(separator: " ")))"
        case .files: "_files"
        case .unknown: " "
        }
    }

    /// `_arguments` reads brackets and colons.
    private func escaped(_ text: String) -> String {
        text.map { "[]:\\".contains($0) ? "\\\($0)" : "\($0)" }.joined()
    }
}

/// One word for a shell, whatever it holds.
private func shellQuoted(_ text: String) -> String {
    "'\(text.replacing("'", with: "'\\''"))'"
}
