"""Datasette (PyPI): a table of books; what it serves is an SQLite file."""

import json
import sqlite3

JOB = "datasette.books"
SECRETS = {"datasette_token": "t0ken-of-the-robot"}
READY = "/"
BOOKS = 2345


def serve(place):
    with sqlite3.connect(place.folder / "library.db") as library:
        library.executescript(f"""
            create table book (id integer primary key, title text, price real, changed text);
            with recursive n (i) as (select 1 union all select i + 1 from n where i < {BOOKS})
            insert into book select i, 'book ' || i, i / 4.0, '2025-01-01T00:00:00Z' from n;""")
    settings = place.write("datasette.json", json.dumps({
        "allow": {"id": "robot"},
        "plugins": {"datasette-auth-tokens": {
            "tokens": [{"token": SECRETS["datasette_token"], "actor": {"id": "robot"}}]}}}))
    return [place.programs / "datasette", "serve", place.folder / "library.db", "-p", place.port, "--metadata", settings], {}


def fill(place):
    """It was there before the server."""


def change(place):
    with sqlite3.connect(place.folder / "library.db") as library:
        library.executescript("""
            delete from book where id = 500;
            update book set title = 'edited' where id = 7;
            insert into book values (9999, 'late', 1, '2025-01-02T00:00:00Z');""")


def says(place):
    return {"datasette_book": (["id"], place.query(
        "library.db", "select id, title, price, changed as changed_at from book"))}
