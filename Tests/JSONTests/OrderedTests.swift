import JSON
import Testing

@Suite struct OrderedTests {
    private func ordered(_ text: String) throws -> String {
        let root = try JSONDocument(parsing: Array(text.utf8)).root
        var output: [UInt8] = []
        root.withTree { $0.appendOrdered(at: root.treeIndex, to: &output) }
        return String(decoding: output, as: UTF8.self)
    }

    @Test(arguments: [
        (
            #"{ "bb":1,"a" : [1,2.50,{"z":null}],"c":true }"#,
            #"{"a": [1, 2.50, {"z": null}], "c": true, "bb": 1}"#
        ),
        (#"{"a":1,"b":2,"a":3}"#, #"{"a": 3, "b": 2}"#),
        (#"{"b":{"y":1,"x":{}},"a":[]}"#, #"{"a": [], "b": {"x": {}, "y": 1}}"#),
        (#"["\u00e9\/\t\u0001\"\\"]"#, #"["é/\t\u0001\"\\"]"#),
        ("7", "7"), ("\"x\"", "\"x\""), (" null ", "null"),
    ]) func `a value is written as the server prints it`(_ text: String, _ wanted: String) throws {
        #expect(try ordered(text) == wanted)
    }

    @Test func `an object with an escape in a name keeps all its members in their order`() throws {
        #expect(
            try ordered(#"{"b":1,"\u0061":2,"c":{"z":1,"y":2}}"#)
                == #"{"b": 1, "a": 2, "c": {"y": 2, "z": 1}}"#)
    }
}
