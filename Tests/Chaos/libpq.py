"""Sessions with PostgreSQL over libpq, which send a statement without waiting for its result."""

import ctypes
import select
import urllib.parse
from ctypes import c_char_p, c_int, c_uint, c_void_p, POINTER

lib = ctypes.CDLL("libpq.so.5")
P, S, I = c_void_p, c_char_p, c_int
# name: what it returns, what it takes
FUNCTIONS = {
    "PQconnectdb": (P, S), "PQstatus": (I, P), "PQerrorMessage": (S, P), "PQsocket": (I, P), "PQbackendPID": (I, P),
    "PQfinish": (None, P), "PQsendQuery": (I, P, S), "PQflush": (I, P), "PQconsumeInput": (I, P), "PQisBusy": (I, P),
    "PQsendQueryParams": (I, P, S, I, POINTER(c_uint), POINTER(S), POINTER(I), POINTER(I), I),
    "PQgetResult": (P, P), "PQresultStatus": (I, P), "PQresultErrorField": (S, P, I), "PQntuples": (I, P), "PQnfields": (I, P),
    "PQfname": (S, P, I), "PQgetisnull": (I, P, I, I), "PQgetvalue": (S, P, I, I), "PQcmdStatus": (S, P), "PQclear": (None, P),
}
for name, (result, *arguments) in FUNCTIONS.items():
    function = getattr(lib, name)
    function.restype, function.argtypes = result, arguments

TUPLES, COMMAND = 2, 1


class Refused(Exception):
    """The server refused a statement."""

    def __init__(self, sqlstate, text, context=""):
        super().__init__(f"{sqlstate} {text} {context}")
        self.sqlstate, self.text = sqlstate, text


class Wire:
    """A value as it is sent, in binary where its type is known; bytes None: null."""

    def __init__(self, type, bytes):
        self.type, self.bytes, self.format = type, bytes, int(type != 0)


def literal(items):
    """The text of an array."""
    quoted = ("NULL" if item is None else '"' + item.replace("\\", "\\\\").replace('"', '\\"') + '"' for item in items)
    return "{" + ",".join(quoted) + "}"


def text(value):
    """A value as the server reads it, or None."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return literal(text(item) for item in value)
    return str(value)


def encoded(value):
    return None if value is None else value.encode()


def with_settings(url, settings):
    """An address with what is set for its sessions; one that is empty leaves the rest to PG* of the environment."""
    options = " ".join(f"-c {name}={value}" for name, value in settings.items())
    if "://" not in url:
        return f"{url} options='{options}'"
    return url + ("&" if "?" in url else "?") + "options=" + urllib.parse.quote(options)


class Session:
    """One session; at most one statement is on its way."""

    def __init__(self, url, **settings):
        self.handle = lib.PQconnectdb(with_settings(url, settings).encode())
        if lib.PQstatus(self.handle) != 0:
            raise ConnectionError(lib.PQerrorMessage(self.handle).decode())
        self.pid = lib.PQbackendPID(self.handle)
        self.poll = select.poll()
        self.poll.register(lib.PQsocket(self.handle), select.POLLIN)

    def close(self):
        if self.handle:
            lib.PQfinish(self.handle)
            self.handle = None

    def send(self, sql, values=None):
        """Sends a statement, or without values as many as the text holds."""
        if values is None:
            sent = lib.PQsendQuery(self.handle, sql.encode())
        else:
            count = len(values)
            wires = [value if isinstance(value, Wire) else Wire(0, encoded(text(value))) for value in values]
            types, formats = (c_uint * count)(*(wire.type for wire in wires)), (c_int * count)(*(wire.format for wire in wires))
            data, lengths = (c_char_p * count)(*(wire.bytes for wire in wires)), (c_int * count)(*(len(wire.bytes or b"") for wire in wires))
            sent = lib.PQsendQueryParams(self.handle, sql.encode(), count, types, data, lengths, formats, 0)
        if sent != 1:
            raise ConnectionError(lib.PQerrorMessage(self.handle).decode())
        while lib.PQflush(self.handle) == 1:
            pass

    def is_ready(self, milliseconds):
        """Whether the result has come, or comes within so long."""
        if not lib.PQisBusy(self.handle):
            return True
        if self.poll.poll(milliseconds):
            if lib.PQconsumeInput(self.handle) != 1:
                raise ConnectionError(lib.PQerrorMessage(self.handle).decode())
        return not lib.PQisBusy(self.handle)

    def result(self):
        """Waits for the result: rows as dictionaries of texts, or the tag of a command. Raises Refused."""
        answer, refusal = None, None
        while result := lib.PQgetResult(self.handle):
            status = lib.PQresultStatus(result)
            if status == TUPLES:
                answer = rows(result)
            elif status == COMMAND:
                answer = lib.PQcmdStatus(result).decode()
            elif refusal is None:
                fields = [lib.PQresultErrorField(result, ord(code)) for code in "CMW"]
                state, message, context = [(field or b"").decode() for field in fields]
                refusal = Refused(state or "08006", message, context)
            lib.PQclear(result)
        if refusal:
            raise refusal
        return answer

    def query(self, sql, *values):
        self.send(sql, values)
        return self.result()

    def script(self, sql):
        self.send(sql)
        return self.result()


def rows(result):
    names = [lib.PQfname(result, column).decode() for column in range(lib.PQnfields(result))]
    return [
        {
            name: None if lib.PQgetisnull(result, row, column) else lib.PQgetvalue(result, row, column).decode()
            for column, name in enumerate(names)
        }
        for row in range(lib.PQntuples(result))
    ]
