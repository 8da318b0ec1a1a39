"""Sessions with PostgreSQL over libpq, which send a statement without waiting for its result."""

import ctypes
import select
import urllib.parse
from ctypes import c_char_p, c_int, c_uint, c_void_p, POINTER

lib = ctypes.CDLL("libpq.so.5")
for name, result, arguments in [
    ("PQconnectdb", c_void_p, [c_char_p]),
    ("PQstatus", c_int, [c_void_p]),
    ("PQerrorMessage", c_char_p, [c_void_p]),
    ("PQsocket", c_int, [c_void_p]),
    ("PQbackendPID", c_int, [c_void_p]),
    ("PQfinish", None, [c_void_p]),
    ("PQsendQuery", c_int, [c_void_p, c_char_p]),
    (
        "PQsendQueryParams",
        c_int,
        [c_void_p, c_char_p, c_int, POINTER(c_uint), POINTER(c_char_p), POINTER(c_int), POINTER(c_int), c_int],
    ),
    ("PQflush", c_int, [c_void_p]),
    ("PQconsumeInput", c_int, [c_void_p]),
    ("PQisBusy", c_int, [c_void_p]),
    ("PQgetResult", c_void_p, [c_void_p]),
    ("PQresultStatus", c_int, [c_void_p]),
    ("PQresultErrorField", c_char_p, [c_void_p, c_int]),
    ("PQntuples", c_int, [c_void_p]),
    ("PQnfields", c_int, [c_void_p]),
    ("PQfname", c_char_p, [c_void_p, c_int]),
    ("PQgetisnull", c_int, [c_void_p, c_int, c_int]),
    ("PQgetvalue", c_char_p, [c_void_p, c_int, c_int]),
    ("PQcmdStatus", c_char_p, [c_void_p]),
    ("PQclear", None, [c_void_p]),
]:
    function = getattr(lib, name)
    function.restype, function.argtypes = result, arguments

TUPLES, COMMAND = 2, 1


class Refused(Exception):
    """The server refused a statement."""

    def __init__(self, sqlstate, text, context=""):
        super().__init__(f"{sqlstate} {text} {context}")
        self.sqlstate, self.text = sqlstate, text


class Wire:
    """A value in the wire's binary format, with its type; bytes None: null."""

    def __init__(self, type, bytes):
        self.type, self.bytes = type, bytes


def literal(items):
    """The text of an array."""
    quoted = (
        "NULL" if item is None else '"' + str(item).replace("\\", "\\\\").replace('"', '\\"') + '"' for item in items
    )
    return "{" + ",".join(quoted) + "}"


def text(value):
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return literal(text(item) for item in value)
    return str(value)


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
            types, data, lengths, formats = (c_uint * count)(), (c_char_p * count)(), (c_int * count)(), (c_int * count)()
            for place, value in enumerate(values):
                if isinstance(value, Wire):
                    types[place], formats[place] = value.type, 1
                    data[place] = value.bytes
                    lengths[place] = len(value.bytes or b"")
                else:
                    shown = text(value)
                    data[place] = None if shown is None else shown.encode()
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
