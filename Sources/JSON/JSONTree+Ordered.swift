// A value as PostgreSQL prints it once it is `jsonb`.
extension JSONTree {
    /// Appends a value as PostgreSQL prints it as `jsonb`: members in the order of their names' lengths and
    /// bytes, the last of equal names, `", "` and `": "` between, escapes only where they are needed.
    ///
    /// The value must be `isStorable`. The text always means the same value. It differs from the server's
    /// in two cases, and such a value is only compared more slowly: numbers that the server writes another
    /// way (`1e3`, `-0`), and objects with an escape in a name.
    public func appendOrdered(at index: Int, to output: inout [UInt8]) {
        var names: [Int] = []
        if tape[index].kind == .object { names.reserveCapacity(32) }
        append(index, &names, to: &output)
    }

    /// `names` is a stack: each object being written holds its members' places on top of it.
    private func append(_ index: Int, _ names: inout [Int], to output: inout [UInt8]) {
        switch tape[index].kind {
        case .null, .bool, .number: output.append(contentsOf: raw(at: index))
        case .string: appendQuoted(index, to: &output)
        case .array:
            output.append(UInt8(ascii: "["))
            var position = index + 1
            let end = Int(tape[index].next)
            while position < end {
                if position > index + 1 { output.appendComma() }
                append(position, &names, to: &output)
                position = Int(tape[position].next)
            }
            output.append(UInt8(ascii: "]"))
        case .object: appendObject(index, &names, to: &output)
        }
    }

    private func appendObject(_ index: Int, _ names: inout [Int], to output: inout [UInt8]) {
        output.append(UInt8(ascii: "{"))
        let first = names.count
        if pushMembers(of: index, to: &names) {
            sort(&names, from: first)
        }
        let last = names.count
        for index in first..<last {
            let name = names[index]
            if index > first { output.appendComma() }
            appendQuoted(name, to: &output)
            output.append(UInt8(ascii: ":"))
            output.append(UInt8(ascii: " "))
            append(name + 1, &names, to: &output)
        }
        names.removeLast(last - first)
        output.append(UInt8(ascii: "}"))
    }

    /// False: a name holds an escape, so that the order by bytes as written is not the server's.
    private func pushMembers(of index: Int, to names: inout [Int]) -> Bool {
        var isPlain = true
        var position = index + 1
        let end = Int(tape[index].next)
        while position < end {
            names.append(position)
            isPlain = isPlain && !tape[position].isEscaped
            position = Int(tape[position + 1].next)
        }
        return isPlain
    }

    /// Sorts the members on top of the stack; of equal names the last stays.
    private func sort(_ names: inout [Int], from first: Int) {
        var isSorted = true
        for index in names.indices.dropFirst(first + 1)
        where !isLess(names[index - 1], names[index]) {
            isSorted = false
            break
        }
        if isSorted { return }
        // Equal names stand in document order, so that the last one is the one that counts.
        names[first...].sort { left, right in
            isLess(left, right) || (!isLess(right, left) && left < right)
        }
        var kept = first
        for index in first..<names.count {
            let isLast = index + 1 == names.count || isLess(names[index], names[index + 1])
            guard isLast else { continue }
            names[kept] = names[index]
            kept += 1
        }
        names.removeLast(names.count - kept)
    }

    /// The server's order: shorter names first, then by bytes.
    private func isLess(_ left: Int, _ right: Int) -> Bool {
        let (leftName, rightName) = (raw(at: left), raw(at: right))
        guard leftName.count == rightName.count else { return leftName.count < rightName.count }
        for offset in 0..<leftName.count where leftName[offset] != rightName[offset] {
            return leftName[offset] < rightName[offset]
        }
        return false
    }

    private func appendQuoted(_ index: Int, to output: inout [UInt8]) {
        guard tape[index].isEscaped else {
            output.append(contentsOf: raw(at: index))
            return
        }
        var text: [UInt8] = []
        text.reserveCapacity(raw(at: index).count)
        appendString(at: index, to: &text)
        JSONValue.append(quotedUTF8: text, to: &output)
    }
}

extension [UInt8] {
    fileprivate mutating func appendComma() {
        append(UInt8(ascii: ","))
        append(UInt8(ascii: " "))
    }
}
