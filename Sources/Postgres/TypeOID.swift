/// The object identifiers of the types that this library speaks in binary (`pg_type.oid`).
enum TypeOID {
    static let bool: UInt32 = 16
    static let bytea: UInt32 = 17
    static let char: UInt32 = 18
    static let name: UInt32 = 19
    static let int8: UInt32 = 20
    static let int2: UInt32 = 21
    static let int4: UInt32 = 23
    static let text: UInt32 = 25
    static let oid: UInt32 = 26
    static let tid: UInt32 = 27
    static let xid: UInt32 = 28
    static let json: UInt32 = 114
    static let float4: UInt32 = 700
    static let float8: UInt32 = 701
    static let unknown: UInt32 = 705
    static let boolArray: UInt32 = 1000
    static let int4Array: UInt32 = 1007
    static let textArray: UInt32 = 1009
    static let tidArray: UInt32 = 1010
    static let int8Array: UInt32 = 1016
    static let float8Array: UInt32 = 1022
    static let bpchar: UInt32 = 1042
    static let varchar: UInt32 = 1043
    static let timestamptz: UInt32 = 1184
    static let timestamptzArray: UInt32 = 1185
    static let interval: UInt32 = 1186
    static let numeric: UInt32 = 1700
    static let uuid: UInt32 = 2950
    static let uuidArray: UInt32 = 2951
    static let jsonb: UInt32 = 3802
    static let xid8: UInt32 = 5069
}
