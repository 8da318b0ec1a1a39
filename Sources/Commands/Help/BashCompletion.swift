/// What makes bash complete command lines of `jobrunner`, made of the declarations that the help is made of.
struct BashCompletion {
    let commands: [CommandSpec]

    var text: String {
        """
        # Completion of jobrunner in bash, made by: jobrunner completion bash
        # It asks no database: what tenants, users and jobs there are it does not know.
        _jobrunner() {
            local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"
            local command="${COMP_WORDS[1]}" words=''
            COMPREPLY=()
            # Bash takes --name=value for three words.
            if [ "$word" = '=' ]; then
                word=''
            elif [ "$before" = '=' ]; then
                before="${COMP_WORDS[COMP_CWORD-2]}"
            fi
            if [ "$COMP_CWORD" -eq 1 ]; then
                _jobrunner_words '\(firstWords)'
                return
            fi
            case "$command" in
        \(groups)    esac
            case "$command $before" in
        \(values)    esac
            case "$command" in
        \(options)    esac
            _jobrunner_words "$words"
        }

        _jobrunner_words() {
            mapfile -t COMPREPLY < <(compgen -W "$1" -- "$word")
        }

        _jobrunner_files() {
            # Quotes what a shell would take for something else; outside of a completion there is none to change.
            compopt -o filenames 2> /dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
        }

        complete -F _jobrunner jobrunner

        """
    }

    private var firstWords: String {
        (FirstWord.all(commands).map(\.word) + ["help", "--help", "--version"])
            .joined(separator: " ")
    }

    /// A group's second word belongs to the command's name; `help` takes the same words.
    private var groups: String {
        let groups = FirstWord.all(commands).filter { $0.command == nil }
        let seconds = groups.map { group in
            branch(
                "help\\ \(group.word)",
                "[ \"$COMP_CWORD\" -ne 3 ] || _jobrunner_words '\(group.seconds.joined(separator: " "))'"
            )
        }.joined()
        let own = groups.map { group in
            """
                \(group.word))
                    if [ "$COMP_CWORD" -eq 2 ]; then
                        _jobrunner_words '\(group.seconds.joined(separator: " "))'
                        return
                    fi
                    command="$command ${COMP_WORDS[2]}"
                    ;;

            """
        }.joined()
        return own + """
                help)
                    if [ "$COMP_CWORD" -eq 2 ]; then
                        _jobrunner_words '\(FirstWord.all(commands).map(\.word).joined(separator: " "))'
                        return
                    fi
                    case "help ${COMP_WORDS[2]}" in
            \(seconds)        esac
                    return
                    ;;

            """
    }

    /// What follows an option that takes a value.
    private var values: String {
        var patterns: [String: [String]] = [:]
        var order: [String] = []
        for command in commands {
            for option in command.options {
                guard let completable = option.completable else { continue }
                let answer =
                    switch completable {
                    case .words(let words):
                        "_jobrunner_words '\(words.joined(separator: " "))'; return"
                    case .files: "_jobrunner_files; return"
                    case .unknown: "return"
                    }
                if patterns[answer] == nil { order.append(answer) }
                patterns[answer, default: []].append(
                    pattern(command.words + ["--\(option.name)"]))
            }
        }
        return order.map { answer in
            branch((patterns[answer] ?? []).joined(separator: " | \\\n        "), answer)
        }.joined()
    }

    private var options: String {
        commands.map { command in
            let names = command.options.map { "--\($0.name)" } + ["--help"]
            var answer = "words='\(names.joined(separator: " "))'"
            if command.positionals.contains(where: { $0.completable == .files }) {
                answer =
                    "\(answer)\n            case \"$word\" in -*) ;; *) _jobrunner_files; return ;; esac"
            }
            return branch(pattern(command.words), answer)
        }.joined()
    }

    private func pattern(_ words: [String]) -> String { words.joined(separator: "\\ ") }

    private func branch(_ pattern: String, _ answer: String) -> String {
        "        \(pattern))\n            \(answer)\n            ;;\n"
    }
}
