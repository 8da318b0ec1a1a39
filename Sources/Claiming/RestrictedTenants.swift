/// What a worker knows of tenants that may not have as many jobs run as they like.
///
/// A tenant comes here when a claim finds it at its limit, or only jobs of new users of it while the half
/// of the slots that these may have is taken or promised. It goes on when what it waits for has happened: its claims are then worth their turn again.
///
///     open ──claim finds it full──▶ atLimit ──a run of it has ended and is written, or its limit was changed──▶ open
///     open ──only new users' jobs, half of the slots are theirs──▶ heldNew ──a new user's run has ended──▶ open
///
/// `FairShare` lets it rest meanwhile, and asks it now and then although nothing was heard.
struct RestrictedTenants: Sendable {
    private var atLimit: Set<Int64> = []
    private var heldNew: Set<Int64> = []

    /// Only jobs of new users wait of some tenant, and may not begin.
    var holdsNew: Bool { !heldNew.isEmpty }

    /// Some tenant goes on when the outcome of a run is written.
    var awaitOutcomes: Bool { !atLimit.isEmpty || holdsNew }

    mutating func reachedLimit(_ tenant: Int64) { atLimit.insert(tenant) }
    mutating func holdNew(_ tenant: Int64) { heldNew.insert(tenant) }

    /// Nothing of the tenant waits, or it may have more.
    mutating func forget(_ tenant: Int64) { _ = open(tenant) }

    /// What the tenant waits for may have happened; returns whether it waited.
    mutating func open(_ tenant: Int64) -> Bool {
        let waited = atLimit.remove(tenant) != nil
        return heldNew.remove(tenant) != nil || waited
    }

    /// A new user's run has ended; returns the tenants that waited for it.
    mutating func openNew() -> Set<Int64> {
        defer { heldNew = [] }
        return heldNew
    }
}
