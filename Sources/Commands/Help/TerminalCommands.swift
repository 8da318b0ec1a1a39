/// What is made of the commands themselves, for a shell and for `man`.
let terminalCommands = [
    CommandSpec(
        "completion bash", "Print what makes bash complete these command lines",
        example: "jobrunner completion bash"),
    CommandSpec(
        "completion zsh", "Print what makes zsh complete these command lines",
        example: "jobrunner completion zsh"),
    CommandSpec("man", "Print the manual page, in roff", example: "jobrunner man"),
]
