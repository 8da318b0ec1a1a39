/// What sort of value a JSON value is.
public enum JSONKind: UInt8, Sendable { case null, bool, number, string, array, object }
