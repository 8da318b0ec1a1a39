/// An SQL value of the form that a sealed secret has, by the key that every tenant of a fixture has; it ends with the byte of
/// these two hex digits.
func sealed(_ mark: String = "01") -> String {
    "decode('02' || repeat('01', 8) || repeat('00', 60) || '\(mark)', 'hex')"
}

/// Gives a tenant the key that `sealed` names.
func keyed(_ tenant: String) -> String {
    """
    select jobrunner.add_tenant_key(t.id, decode(repeat('01', 8), 'hex'), decode(repeat('01', 32), 'hex'),
      decode(repeat('01', 72), 'hex'), decode(repeat('01', 8), 'hex'))
    from jobrunner.tenants as t where t.name = '\(tenant)';
    """
}
