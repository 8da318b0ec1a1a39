"""The statements that the product makes for pages, sweeps and pushes, with the values of one run filled in."""

import json
import struct

from libpq import Wire

USER, FENCE, GENERATION = (struct.pack(">q", 0x5041495200000000 + n) for n in (1, 2, 3))
PAGE_NUMBER, PASS_NUMBER, FULL_REQUEST = b"PAGE", b"PASS", b"FULL"
NONCE = b"\x5a" * 16
INT8, TEXT_ARRAY = 20, 1009


class Statements:
    """What PairStatementTests wrote."""

    def __init__(self, path):
        with open(path) as file:
            self.known = json.load(file)

    def of(self, run, name, page_number=None):
        """A statement of a run: its text and its values."""
        statement = self.known[f"{run.job}/{run.entity}"][name]
        filled = {
            USER: struct.pack(">q", run.user_id),
            FENCE: struct.pack(">q", run.fence),
            GENERATION: struct.pack(">q", run.generation),
            # All pages are of the user's first pass, which knew of no request.
            PASS_NUMBER: struct.pack(">i", 1),
            FULL_REQUEST: struct.pack(">i", 0),
            NONCE: bytes.fromhex(run.nonce.replace("-", "")),
        }
        if page_number is not None:
            filled[PAGE_NUMBER] = struct.pack(">i", page_number)
        return statement["sql"], [wire(bind, filled) for bind in statement["binds"]]

    def of_rows(self, run, name, rows):
        """A statement about rows that were read for a push; each row says what its stand-ins mean."""
        sql, values = self.of(run, name)
        return sql, [repeated(value, rows) for value in values]


def wire(bind, filled):
    if bind["hex"] is None:
        return None
    value = bytes.fromhex(bind["hex"])
    return Wire(bind["type"], named(value, filled) if b'"pass_number"' in value else filled.get(value, value))


def named(value, filled):
    """Where a pass stands, by name: the stand-ins are numbers of the object."""
    for stand_in, own in filled.items():
        value = value.replace(b":%d" % int.from_bytes(stand_in, "big"), b":%d" % int.from_bytes(own, "big"))
    return value


def repeated(value, rows):
    """An array of one stand-in becomes an array with a value for each row."""
    if value is None or struct.unpack(">i", value.bytes[:4])[0] != 1 or len(value.bytes) < 24:
        return value
    _, _, element, count, _ = struct.unpack(">iiIii", value.bytes[:20])
    (length,) = struct.unpack(">i", value.bytes[20:24])
    if count != 1 or len(value.bytes) != 24 + max(length, 0):
        return value
    given = None if length < 0 else value.bytes[24:]
    items = [given if value.type != TEXT_ARRAY or given is None else row.get(given.decode(), given) for row in rows]
    out = struct.pack(">iiIii", 1, int(any(item is None for item in items)), element, len(items), 1)
    for item in items:
        if item is None:
            out += struct.pack(">i", -1)
        else:
            item = item if isinstance(item, bytes) else item.encode()
            out += struct.pack(">i", len(item)) + item
    return Wire(value.type, out)
