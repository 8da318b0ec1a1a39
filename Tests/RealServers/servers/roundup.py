"""Roundup (PyPI), an issue tracker: three years of issues, in an SQLite store that is read without it."""

import subprocess
from datetime import datetime, timedelta, timezone

JOB = "roundup.issues"
SECRETS = {"roundup_user": "ann", "roundup_password": "p4ss-of-roundup-ann"}
READY = "/rest"
BEGIN = datetime(2024, 1, 1, 6, tzinfo=timezone.utc)
ISSUES = 120
KEYWORDS = ["red", "green", "blue", "unused"]


def administer(place, *commands):
    subprocess.run([place.programs / "roundup-admin", "-i", place.folder / "tracker"], check=True, text=True,
                   input="\n".join([*commands, "commit", "exit", ""]), stdout=subprocess.DEVNULL)


def row(number, time, **values):
    """As Roundup exports a row: the values by the name of the column."""
    at = repr((time.year, time.month, time.day, time.hour, time.minute, time.second, 0, 0, 0))
    cells = {"activity": at, "actor": "'1'", "creation": at, "creator": "'1'", "id": f"'{number}'", "is retired": "False",
             **{name: repr(value) for name, value in values.items()}}
    return dict(sorted(cells.items()))


def export(place, name, rows):
    lines = [":".join(rows[0])] + [":".join(f'"{cell}"' if ":" in cell else cell for cell in cells.values()) for cells in rows]
    (place.folder / "old").mkdir(exist_ok=True)
    place.write(f"old/{name}.csv", "\n".join(lines) + "\n")
    place.write(f"old/{name}-journals.csv", "")


def serve(place):
    """The issues are as old as those of a tracker that was moved here; only an import can make such."""
    step = (datetime.now(timezone.utc) - BEGIN) / (ISSUES + 1)
    export(place, "keyword", [row(i + 1, BEGIN, name=name) for i, name in enumerate(KEYWORDS)])
    export(place, "issue", [row(
        i, BEGIN + i * step, title=f"issue {i}", priority=str(i % 5 + 1), status="1", assignedto=None, files=[],
        keyword=[str(k) for k in (1, 2, 3) if i % (k + 3) == 0], messages=[], nosy=[], superseder=[],
    ) for i in range(1, ISSUES + 1)])
    subprocess.run([
        place.programs / "roundup-admin", "-i", place.folder / "tracker", "install", "classic", "sqlite",
        f"tracker_web={place.url}/,mail_domain=loopback.test,mail_host=127.0.0.1"], check=True, stdout=subprocess.DEVNULL)
    administer(place, "initialise for-this-test-only")
    user, password = SECRETS.values()
    administer(place, f"create user username={user} password={password} address=ann@loopback.test roles=User",
               f"import {place.folder / 'old'}")
    place.write("tracker_app.py", "from roundup.cgi.wsgi_handler import RequestDispatcher\n"
                                  f"app = RequestDispatcher({str(place.folder / 'tracker')!r})\n")
    # Its own server refuses to run as root.
    return [place.programs / "waitress-serve", f"--listen=127.0.0.1:{place.port}", "tracker_app:app"], {
        "PYTHONPATH": str(place.folder)}


def fill(place):
    """It was there before the server."""


def change(place):
    administer(place, "set issue5 title=edited", "set issue7 assignedto=ann", "retire issue9", "retire keyword2",
               "create issue title=late keyword=1,3", "create keyword name=late")


def time_of(text):
    """Whole seconds, as Roundup shows them."""
    return datetime.strptime(text.split(".")[0], "%Y%m%d%H%M%S").replace(tzinfo=timezone.utc)


def says(place):
    store = "tracker/db/db"
    issues = place.query(store, """
        select id as issue_id, _title as title, _priority as priority_id, _assignedto as assigned_to, _creation as created_at,
               _activity as changed_at
        from _issue where __retired__ = 0""")
    for issue in issues:
        issue.update({name: time_of(issue[name]) for name in ("created_at", "changed_at")})
    return {
        # Absence is not seen in windows, so that the list of open issues tells which of these are.
        "roundup_issue join synced.roundup_open_issue using (user_id, issue_id)": (["issue_id"], issues),
        "roundup_open_issue": (["issue_id"], [{"issue_id": issue["issue_id"]} for issue in issues]),
        "roundup_keyword": (["keyword_id"], place.query(
            store, "select id as keyword_id, _name as name from _keyword where __retired__ = 0")),
        "roundup_keyword_issue": (["keyword_id", "issue_id"], place.query(store, """
            select k.linkid as keyword_id, k.nodeid as issue_id from issue_keyword as k
            join _issue as i on i.id = k.nodeid join _keyword as w on w.id = k.linkid
            where i.__retired__ = 0 and w.__retired__ = 0""")),
    }
