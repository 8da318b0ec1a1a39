/// Options that several commands have.
extension OptionSpec {
    static let yes = OptionSpec.flag(
        "yes", "do not ask before what can't be undone; needed where no terminal is")
    static let json = OptionSpec.flag("json", "print JSON instead of text")
    static let rolePrefix = OptionSpec.value(
        "roles", "PREFIX",
        "the groups are PREFIX_worker, PREFIX_operator, PREFIX_reader and PREFIX_application; without it as the database"
    )
    static let secret = OptionSpec.repeated(
        "secret", "NAME=@FILE|-", as: .assignment(.secret),
        "secret from a file or standard input, never in the arguments")
    static let origin = OptionSpec.repeated(
        "origin", "URL",
        "where the secrets may be sent, such as https://api.example.com; without it where the job files send them"
    )
    static let tenant = OptionSpec.value(
        "tenant", "T", required: true, "name of the tenant")
    static let tenantFilter = OptionSpec.value("tenant", "T", "only this tenant")
    static let user = OptionSpec.value(
        "user", "KEY", "key of the user; none for a job of the tenant's own")
    static let userFilter = OptionSpec.value("user", "KEY", "only this user of the tenant")
}

/// Arguments that several commands have.
extension PositionalSpec {
    static let job = PositionalSpec(name: "JOB", count: .one, help: "name of the job")
}
