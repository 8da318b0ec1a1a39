import Asking
import JobQueue
import Secrets

/// `jobrunner key rotate`: exit 1 when the old keys are still needed for some tenant.
func rotateKeys(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let keeper = try context.settings.keyKeeper()
    let report = try await showing("sealing secrets anew") { progress in
        try await context.withQueue { queue in
            try await KeyRotation(keeper, queue).run { done in
                progress.tell(
                    "\(counted(done.secrets, "secret")) of \(counted(done.tenants, "tenant")) done")
            }
        }
    }
    var words =
        "sealed \(counted(report.secrets, "secret")) of \(counted(report.tenants, "tenant"))"
    words += " with keys that key \(keeper.ring.newest.id) wraps"
    try context.say(words)
    if report.spoilt > 0 {
        context.output.complain(
            "\(counted(report.spoilt, "secret")) of these no key opens, as they were stored: their jobs say so"
        )
    }
    for tenant in report.unopened {
        context.output.complain("tenant number \(tenant.tenant): \(tenant.error)")
    }
    return report.unopened.isEmpty ? .ok : .failure
}

/// `jobrunner key renew`: exit 0 also when that is asked for already.
func renewKey(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    let tenant = arguments.text("tenant") ?? ""
    let isNew = try await context.withQueue { try await $0.renewKey(ofTenant: tenant) }
    try context.say(
        isNew
            ? "a worker gives \(tenant) another key within a minute, and seals its secrets anew"
            : "nothing to do: another key of \(tenant) is asked for already, or it has none yet")
    return .ok
}
